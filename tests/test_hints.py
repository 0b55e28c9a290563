"""Hints: grades, classes, languages, and the golden texts."""
from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from engines.advice import Choice
from engines.words import count, either, joined, listed, name, say
from scripts.hints import golden, golden_path, read_positions
from solver.classes import loss_of
from solver.languages import languages
from tests.gatto_tables import BRAIN, table

ROOT = Path(__file__).parent.parent
GAMES = BRAIN.library.games()
EVERY_GAME = pytest.mark.parametrize("game", GAMES)


def hint(state, grade=pb.HINT_GRADE_FULL, visits=600, **more) -> pb.HintResponse:
    return BRAIN.hint(pb.HintRequest(state=state, grade=grade, budget={"visits": visits}, seed=1, **more))


@EVERY_GAME
def test_golden_texts(game):
    assert golden(BRAIN, game) == golden_path(game).read_text(encoding="utf-8"), "read them, then scripts/hints.py"


@EVERY_GAME
def test_grades_give_away_what_they_should(game):
    for state in read_positions(game)[::3]:
        full = hint(state)
        best = full.moves[0]
        assert full.text.startswith(best.text[0].upper() + best.text[1:])
        assert 1 <= len(full.moves) <= 5
        assert best.move_class == pb.MOVE_CLASS_BEST
        assert (best.win_loss, best.score_loss) == (0, 0)
        assert best.turn[0].id == best.id
        assert {planned.player for planned in best.turn} == {full.player}
        classes = [move.move_class for move in full.moves]
        assert all(pb.MOVE_CLASS_BEST <= kind <= pb.MOVE_CLASS_BLUNDER for kind in classes)
        assert full.certainty != pb.CERTAINTY_UNSPECIFIED
        for grade in (pb.HINT_GRADE_NUDGE, pb.HINT_GRADE_IDEA, pb.HINT_GRADE_UNSPECIFIED):
            less = hint(state, grade)
            assert less.text
            assert not less.moves
            assert best.text.lower() not in less.text.lower()
        assert hint(state, pb.HINT_GRADE_UNSPECIFIED).grade == pb.HINT_GRADE_NUDGE


@EVERY_GAME
def test_the_good_moves_have_about_the_same_visits(game):
    full = hint(read_positions(game)[0], visits=4000)
    assert full.visits == 4000
    visits = sorted(move.visits for move in full.moves[1:])
    assert not visits or visits[0] >= 4000 / 16


def test_equal_requests_have_equal_answers():
    state = table()
    assert hint(state) == hint(state)


def test_about_explains_a_move_whatever_it_is_worth():
    state = table()
    moves = BRAIN.get_moves(pb.GetMovesRequest(state=state)).moves
    for move in moves[:4]:
        answer = hint(state, about={"id": move.id})
        assert move.id in [entry.id for entry in answer.moves]
        assert answer.text.startswith(move.text[0].upper() + move.text[1:])
        if answer.moves[0].id != move.id:
            assert "Better is " + answer.moves[0].text in answer.text


def test_faulty_requests():
    for field, request in (
        ("language", pb.HintRequest(state=table(), language="tlh")),
        ("grade", pb.HintRequest(state=table(), grade=9)),
        ("about", pb.HintRequest(state=table(), grade=3, about={"id": 4_000_000})),
    ):
        with pytest.raises(BrainError) as caught:
            BRAIN.hint(request)
        assert caught.value.code == "INVALID_ARGUMENT"
        assert caught.value.violations[0].field == field
    setting_up = BRAIN.new_game(pb.NewGameRequest(game="gatto", stop_at_chance=True)).state
    with pytest.raises(BrainError) as caught:
        BRAIN.hint(pb.HintRequest(state=setting_up))
    assert caught.value.reason == "CHANCE_POINT"


def test_discards_declared_unknown_count_as_unseen():
    # 4c and 4h lie on the discard pile, whether noted or not: what a hint may build on is another thing.
    known, unknown = table(discard="4c 4h"), table(unknown=2)
    assert hint(known).moves
    assert hint(unknown).moves
    assert unknown.gatto.unknown_discards == 2


# --- classes -------------------------------------------------------------------------------------


def choice(move, win, score=20.0, error=0.001, spread=5.0, players=2):
    wins = (win, 1 - win) if players == 2 else (1.0,)
    scores, errors = (score,) * players, (error,) * players
    return Choice(move, 1000, (move,), wins, errors, scores, (0.01,) * players, (spread,) * players)


@pytest.mark.parametrize(
    ("win", "score", "expected"),
    [
        (0.599, 20, "BEST"),
        (0.58, 20, "GOOD"),
        (0.55, 20, "INACCURACY"),
        (0.50, 20, "MISTAKE"),
        (0.40, 20, "BLUNDER"),
        # Points alone make a move one class worse, whatever their number.
        (0.60, 19, "GOOD"),
        (0.60, 5, "GOOD"),
        (0.58, 5, "INACCURACY"),
    ],
)
def test_classes(win, score, expected):
    loss = loss_of(choice(2, win, score), choice(1, 0.6), 0)
    assert pb.MoveClass.Name(loss.move_class) == f"MOVE_CLASS_{expected}"
    assert loss.win == pytest.approx(max(0, 0.6 - win))


def test_noise_is_no_loss():
    loss = loss_of(choice(2, 0.5, error=0.1), choice(1, 0.6, error=0.1), 0)
    assert loss.move_class == pb.MOVE_CLASS_BEST
    assert loss.sure == 0


def test_alone_only_points_count():
    best = choice(1, 1, 30, players=1)
    classes = [loss_of(choice(2, 1, score, players=1), best, 0).move_class for score in (29.9, 29.2, 28.3, 26, 20)]
    assert classes == [1, 2, 3, 4, 5]


# --- languages -----------------------------------------------------------------------------------


def test_texts_of_numbers_and_lists():
    assert str(count("{n} coin", "{n} coins", 1)) == "1 coin"
    assert str(count("{n} coin", "{n} coins", 2)) == "2 coins"
    texts = [name("a"), name("b"), say("{x}", x=3)]
    assert str(joined(texts)) == "a, b and 3"
    assert str(either(texts[:2])) == "a or b"
    assert str(listed(texts)) == "a, b, 3"
    assert str(listed([])) == ""


def test_languages():
    assert languages() == ["de", "en"]


CATALOGUES = sorted(ROOT.glob("solver/locale/*/LC_MESSAGES/*.po")) + sorted(
    ROOT.glob("engines/*/locale/*/LC_MESSAGES/*.po")
)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_catalogue_has_every_text_and_fills_in_the_same(path):
    folder = path.parents[3]
    keywords = {"say": None, "count": (1, 2)}
    sources = [folder] if folder.parent.name == "engines" else [folder, ROOT / "engines"]
    wanted = set()
    for source in sources:
        deep = source.name != "engines"
        for file, _, message, *_ in extract_from_dir(source, keywords=keywords):
            if deep or "/" not in file:
                wanted.add(message)
    with path.open("rb") as file:
        found = {message.id: message for message in read_po(file) if message.id}
    assert set(found) == wanted
    for key, message in found.items():
        assert not message.fuzzy
        originals = (key,) if isinstance(key, str) else key
        texts = (message.string,) if isinstance(key, str) else message.string
        fields = set().union(*(re.findall(r"{\w*}", text) for text in originals))
        for text in texts:
            assert text.strip(), f"{key}: no translation"
            filled = set(re.findall(r"{\w*}", text))
            assert filled == fields or (len(originals) > 1 and filled | {"{n}"} == fields), key


def test_every_game_has_a_catalogue_in_every_language():
    for game in GAMES:
        for language in set(languages()) - {"en"}:
            assert (ROOT / "engines" / game / "locale" / language / "LC_MESSAGES" / f"{game}.po").is_file()


@EVERY_GAME
def test_german_hints_are_german_throughout(game):
    common = {"the", "with", "from", "you", "games", "your", "then", "this", "costs", "leaves", "serve", "cards"}
    for state in read_positions(game):
        text = hint(state, language="de", visits=200)
        words = set(re.findall(r"[a-z]+", text.text.lower()))
        for move in text.moves:
            words |= set(re.findall(r"[a-z]+", (move.text + " ".join(r.text for r in move.reasons)).lower()))
        assert not words & common, text.text


def test_patterns_are_literals():
    # Babel finds only texts that are written out.
    for path in [*(ROOT / "engines").rglob("*.py"), *(ROOT / "solver").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("say", "count"):
                if path.name == "words.py":
                    continue
                assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
