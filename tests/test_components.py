"""Component files: each fault named with file, key and reason; the content hash; the figures of the default sets."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import gatto_pb2
from engines.component_set import MAX_FILE_BYTES, ComponentError
from engines.gatto.engine import ENGINE
from engines.library import Library
from engines.registry import ENGINES
from solver.brain import Brain

BUILT_IN = Path(ENGINE.built_in_sets()[0]).parent
OWNERS = (BUILT_IN / "owners.toml").read_text(encoding="utf-8")


def write(directory: Path, text: str | bytes, name: str = "set.toml") -> Path:
    path = directory / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def mine(*replacements: tuple[str, str]) -> str:
    """The owners' set under an id of its own, with replacements (first occurrence each)."""
    text = OWNERS.replace('id = "owners"', 'id = "mine"', 1)
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def faults(path: Path) -> list[tuple[str, str]]:
    """Load a file that cannot be used and return (key, reason) of each fault."""
    with pytest.raises(ComponentError) as caught:
        Library().add_file(path)
    errors = [fault for fault in caught.value.faults if not fault.warning]
    assert str(caught.value).splitlines() == [f"{path}: {fault.key}: {fault.reason}" for fault in errors]
    return [(fault.key, fault.reason) for fault in errors]


def test_the_unchanged_file_is_accepted(tmp_path):
    components = Library().add_file(write(tmp_path, mine()))
    assert (components.game, components.id, components.warnings) == ("gatto", "mine", ())


# --- files that are none -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"game = ", "is not TOML: "),
        (b"game = 'gatto'\ngame = 'gatto'", "is not TOML: "),
        (b"\xff\xfe g", "is not UTF-8 text"),
        (b"coins = " + b"9" * 5000, "is not TOML: "),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "is not TOML: "),
        (b"# " + b"x" * MAX_FILE_BYTES, f"larger than {MAX_FILE_BYTES} bytes"),
    ],
    ids=["cut", "twice", "not utf-8", "huge number", "deep", "large"],
)
def test_unreadable_contents(tmp_path, content, reason):
    [(key, found)] = faults(write(tmp_path, content))
    assert key == "(file)"
    assert found.startswith(reason)


def test_missing_file_and_directory(tmp_path):
    assert faults(tmp_path / "none.toml") == [("(file)", "cannot be read: No such file or directory")]
    assert faults(tmp_path) == [("(file)", "cannot be read: Is a directory")]
    endless = Path("/dev/zero")
    assert faults(endless) == [("(file)", f"larger than {MAX_FILE_BYTES} bytes")]


def test_an_empty_file_and_an_unknown_game(tmp_path):
    [(key, reason)] = faults(write(tmp_path, b""))
    assert (key, reason) == ("game", f"wants one of {', '.join(ENGINES)}; missing")
    [(key, reason)] = faults(write(tmp_path, b"game = 'chess'"))
    assert (key, reason) == ("game", f"wants one of {', '.join(ENGINES)}; found 'chess'")
    assert faults(write(tmp_path, b"game = ['gatto']"))[0][0] == "game"


def test_every_missing_key_is_named_at_once(tmp_path):
    found = dict(faults(write(tmp_path, b'game = "gatto"')))
    assert found.keys() == {"id", "name", "provenance", "drinks", "tiles", "tiles.cold", "tiles.frothy", "tiles.hot",
                            "coins", "sugar"}  # fmt: skip
    assert "missing" in found["coins"]
    assert "missing" in found["tiles.cold"]


# --- faults one by one ---------------------------------------------------------------------------

LATTE = 'spaces = "MMCM"\npoints = [4, 8, 10, 12, 14]\nmenu = [7, 4, 2]'

FAULTS = [
    ('id = "mine"', 'id = "My Set"', "id", "wants 1 to 40 of a-z, 0-9, - and _; found 'My Set'"),
    ('id = "mine"', "id = 7", "id", "wants a text of one line; found 7"),
    ('id = "mine"', f'id = "{"x" * 41}"', "id", "wants 1 to 40 of"),
    ('name = "Café del Gatto, owners\' report"', 'name = ""', "name", "wants a text of one line; found ''"),
    ('name = "Café del Gatto, owners\' report"', 'name = "a\\u001b[31m"', "name", "wants a text of one line"),
    ("coins = 45", "coins = 23", "coins", "wants an integer from 24 to 9999; found 23"),
    ("coins = 45", "coins = 10000", "coins", "wants an integer from 24 to 9999; found 10000"),
    ("coins = 45", "coins = -1", "coins", "wants an integer from 24 to 9999; found -1"),
    ("coins = 45", "coins = 45.0", "coins", "wants an integer from 24 to 9999; found 45.0"),
    ("coins = 45", "coins = true", "coins", "wants an integer from 24 to 9999; found True"),
    ("coins = 45", 'coins = "many"', "coins", 'wants "unlimited" or an integer from 24 to 9999; found \'many\''),
    ("coins = 45", f'coins = "{"y" * 500}"', "coins", 'wants "unlimited"'),
    ("sugar = 12", "sugar = 100", "sugar", "wants an integer from 0 to 99; found 100"),
    ("sugar = 12", "suger = 12", "suger", "unknown key; known here: coins, drinks, sugar, tiles"),
    ("cold = [3, 3, 3, 3]", "cold = [3, 3, 3, -3]", "tiles.cold", "wants a list of integers from 0 to 60; found [3,"),
    ("cold = [3, 3, 3, 3]", "cold = [3, 3, 3, 61]", "tiles.cold", "wants a list of integers from 0 to 60; found [3,"),
    ("cold = [3, 3, 3, 3]", "cold = [3, true, 3, 3]", "tiles.cold", "wants a list of integers from 0 to 60"),
    ("cold = [3, 3, 3, 3]", "cold = 12", "tiles.cold", "wants a list of integers from 0 to 60; found 12"),
    ("cold = [3, 3, 3, 3]", "cold = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", "tiles", "values go up to 9; found 10 counts"),
    ("cold = [3, 3, 3, 3]", "cold = [3, 3, 3, 3]\nwarm = [1]", "tiles.warm",
     "unknown key; known here: cold, frothy, hot"),
    ('id = "espresso"', 'id = "Espresso"', "drinks[0].id", "wants 1 to 40 of a-z, 0-9 and _; found 'Espresso'"),
    ('id = "doppio"', 'id = "espresso"', "drinks[1].id", "'espresso' is used twice"),
    ('name = "Doppio"', 'name = "Espresso"', "drinks[1].name", "'Espresso' is used twice"),
    ('name = "Doppio"', 'name = "Dop\\npio"', "drinks[1].name", "wants a text of one line; found 'Dop\\npio'"),
    ('name = "Doppio"', "colour = 3", "drinks[1].colour", "unknown key; known here: id, menu, name, points, spaces"),
    ('spaces = "CMM"', 'spaces = "CXM"', "drinks[3].spaces",
     "wants 1 to 6 letters C or M from bottom to top; found 'CXM'"),
    ('spaces = "CMM"', 'spaces = "CMMMMMM"', "drinks[3].spaces", "wants 1 to 6 letters C or M"),
    ('spaces = "CMM"', 'spaces = ""', "drinks[3].spaces", "wants a text of one line; found ''"),
    ("points = [3, 6, 8, 10, 12]", "points = [3, 8, 6]", "drinks[3].points",
     "wants 1 to 8 different values, ascending"),
    ("points = [3, 6, 8, 10, 12]", "points = [3, 6, 6]", "drinks[3].points",
     "wants 1 to 8 different values, ascending"),
    ("points = [3, 6, 8, 10, 12]", "points = []", "drinks[3].points", "wants 1 to 8 different values, ascending"),
    ("points = [3, 6, 8, 10, 12]", "points = [1,2,3,4,5,6,7,8,9]", "drinks[3].points", "wants 1 to 8 different values"),
    ("points = [3, 6, 8, 10, 12]", "points = [0, 6]", "drinks[3].points", "wants a list of integers from 1 to 99"),
    ("points = [3, 6, 8, 10, 12]", "points = [3, 100]", "drinks[3].points", "wants a list of integers from 1 to 99"),
    # Three spaces hold a value of 3 at least; a lowest tile of 4 could be out of reach.
    ("points = [3, 6, 8, 10, 12]", "points = [4, 6]", "drinks[3].points",
     "the lowest drink tile, 4, exceeds the number of spaces, 3"),
    ("menu = [5, 3, 1]", "menu = [5, 3]", "drinks[3].menu", "wants 3 numbers, one per possible number of different"),
    ("menu = [2]", "menu = [2, 1]", "drinks[0].menu", "wants 1 numbers, one per possible number of different"),
    ("menu = [5, 3, 1]", "menu = [5, 3, 100]", "drinks[3].menu", "wants a list of integers from 0 to 99"),
    (LATTE, LATTE + "\n\n[[drinks]]\n\n[[drinks]]", "drinks", "wants 1 to 6 drinks; found 7"),
    ('reserves = { source = "rulebook"', 'reserves = { source = "guess"', "provenance.reserves.source",
     "wants one of rulebook, derived, public, owners, reconstructed; found 'guess'"),
    ('reserves = { source = "rulebook", note = "45 coins and 12 sugar cubes" }', 'reserves = "rulebook"',
     "provenance.reserves", "wants a table with source and note; found 'rulebook'"),
    ('note = "45 coins and 12 sugar cubes" }', "why = 3 }", "provenance.reserves.why",
     "unknown key; known here: note, so"),
    ('note = "45 coins and 12 sugar cubes" }', "why = 3 }", "provenance.reserves.note",
     "wants a text of one line; missing"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_each_fault_is_named(tmp_path, number):
    old, new, key, reason = FAULTS[number]
    found = faults(write(tmp_path, mine((old, new))))
    named = [given for name, given in found if name == key and given.startswith(reason)]
    assert named, found
    assert all(len(given) < 250 for _, given in found)
    # A fault leads to no more than one other.
    assert len(found) <= 2 or key == "drinks", found


def test_a_set_without_provenance(tmp_path):
    text = mine()
    [(key, reason)] = faults(write(tmp_path, text[: text.index("[provenance]")] + "[provenance]\n"))
    assert key == "provenance"
    assert "at least one group" in reason


@pytest.mark.parametrize("key", ["drinks", "tiles", "provenance"])
def test_wrong_kinds_of_tables(tmp_path, key):
    text = f'game = "gatto"\nid = "mine"\nname = "Mine"\n{key} = 5\n'
    found = [reason for name, reason in faults(write(tmp_path, text)) if name == key]
    assert found[0].startswith("wants a ")
    assert found[0].endswith("found 5")


def tiles(*counts: str) -> str:
    return mine(*[(f"{name} = [3, 3, 3, 3]", f"{name} = {count}") for name, count in
                  zip(("cold", "frothy", "hot"), counts, strict=True)])  # fmt: skip


def test_fewer_than_11_tiles_are_refused_and_fewer_than_30_warned_of(tmp_path):
    [(key, reason)] = faults(write(tmp_path, tiles("[4]", "[3]", "[3]")))
    assert key == "tiles"
    assert "at least 11 tiles" in reason
    assert "found 10" in reason
    for total, counts in ((11, ("[4]", "[4]", "[3]")), (29, ("[10]", "[10]", "[9]")), (30, ("[10]", "[10]", "[10]"))):
        warnings = Library().add_file(write(tmp_path, tiles(*counts))).warnings
        assert [warning.key for warning in warnings] == (["tiles"] if total < 30 else [])
        assert all(warning.reason.startswith(f"{total} tiles in all") for warning in warnings)


def test_unlimited_reserves(tmp_path):
    text = mine(("coins = 45", 'coins = "unlimited"'), ("sugar = 12", 'sugar = "unlimited"'))
    library = Library()
    contents = library.add_file(write(tmp_path, text)).contents
    assert (contents.coins, contents.sugar) == (None, None)
    answer = Brain(library).get_components(pb.GetComponentsRequest(game="gatto", component_set={"id": "mine"}))
    assert not answer.components.gatto.HasField("coins")
    assert not answer.components.gatto.HasField("sugar")


def test_what_a_player_holds_is_bounded_with_unlimited_reserves(tmp_path):
    # 9999 coins and 99 cubes are the most a message can say; taking more leaves it at that.
    library = Library()
    text = mine(("coins = 45", 'coins = "unlimited"'), ("sugar = 12", 'sugar = "unlimited"'))
    library.add_file(write(tmp_path, text))
    brain = Brain(library)
    state = brain.new_game(pb.NewGameRequest(game="gatto", component_set={"id": "mine"}, seed=5)).state
    state.gatto.players[0].coins, state.gatto.players[0].sugar = 9998, 99
    # An opposite tile of value 1 and a tile of value 1 to buy, wherever they are: row 1 is set to it.
    for column in ("milk", "coffee"):
        old = getattr(state.gatto.machine, column)[0]
        for entry in state.gatto.bag:
            if entry.tile == old:
                entry.count += 1
        old.value, old.preparation = 1, 1
        for entry in state.gatto.bag:
            if entry.tile == old:
                entry.count -= 1
                assert entry.count >= 0

    def after(**move):
        return brain.apply_move(pb.ApplyMoveRequest(state=state, move={"move": {"gatto": move}})).state

    assert after(take_coins={}).gatto.players[0].coins == 9999
    bought = after(buy={"column": "GATTO_COLOR_COFFEE", "row": 1, "cup": "espresso"})
    assert (bought.gatto.players[0].coins, bought.gatto.players[0].sugar) == (9997, 99)
    assert brain.get_moves(pb.GetMovesRequest(state=bought)).to_move == "player 2"


# --- content hash --------------------------------------------------------------------------------


def content_hash(tmp_path: Path, text: str) -> str:
    found = Library().add_file(write(tmp_path, text)).hash
    assert re.fullmatch("[0-9a-f]{16}", found)
    return found


def test_layout_comments_names_and_provenance_do_not_change_the_hash(tmp_path):
    expected = content_hash(tmp_path, mine())
    text = mine(
        ("cold = [3, 3, 3, 3]", "cold = [ 3,3,\n  3, 3, # four\n]"),
        ("coins = 45\nsugar = 12", "sugar = 12\ncoins = 0x2d"),
    )
    assert content_hash(tmp_path, text.replace("\n", "\r\n")) == expected
    assert content_hash(tmp_path, mine(("Café del Gatto, owners' report", "Mein Café"))) == expected
    assert content_hash(tmp_path, mine(("45 coins and", "45 copper coins and"))) == expected
    assert content_hash(tmp_path, mine(('id = "mine"', 'id = "mine-2"'))) == expected


def test_any_figure_changes_the_hash(tmp_path):
    """Every number, and every word that means something, of the file is changed once."""
    text = re.sub("(?m)^#.*", "", mine())
    figures = text[: text.index("[provenance]")]
    hashes = {content_hash(tmp_path, text)}
    changed = 0
    for match in re.finditer(r"(?<=[\[ ])\d+(?=[],\n])", figures):
        before, after = text[: match.start()], text[match.end() :]
        # One more, one less, or left out of its list: one of them keeps the list ascending.
        for other in (f"{int(match[0]) + 1}{after}", f"{int(match[0]) - 1}{after}", after.removeprefix(", ")):
            try:
                found = content_hash(tmp_path, before + other)
            except ComponentError:
                continue
            assert found not in hashes, match
            hashes.add(found)
            changed += 1
            break
    # 2 reserves, 12 tile counts, 25 drink tiles and 1 + 2 + 2 + 3 + 3 of the menu; but no other set has anything else
    # than 1 for the lowest drink tile of a cup with one space.
    assert changed == 2 + 12 + 25 + 11 - 1
    for old, new in (
        ('spaces = "CMM"', 'spaces = "MCM"'),
        ('id = "doppio"', 'id = "double"'),
        ("coins = 45", 'coins = "unlimited"'),
    ):
        found = content_hash(tmp_path, mine((old, new)))
        assert found not in hashes
        hashes.add(found)


def test_the_order_of_drinks_changes_the_hash(tmp_path):
    text = mine()
    blocks = text.split("[[drinks]]")
    blocks[1], blocks[2] = blocks[2], blocks[1]
    assert "doppio" in blocks[1]
    assert content_hash(tmp_path, "[[drinks]]".join(blocks)) != content_hash(tmp_path, text)


# --- the library ---------------------------------------------------------------------------------


def test_a_set_replaces_no_other(tmp_path):
    library = Library()
    library.add_file(write(tmp_path, mine()))
    library.add_file(write(tmp_path, mine(), "again.toml"))  # the same once more is no fault
    with pytest.raises(ComponentError) as caught:
        library.add_file(write(tmp_path, mine(("coins = 45", "coins = 46")), "other.toml"))
    [fault] = caught.value.faults
    assert fault.key == "id"
    assert "another set 'mine'" in fault.reason
    path = write(tmp_path, OWNERS.replace("coins = 45", "coins = 44"))
    assert faults(path)[0][0] == "id"


def test_a_directory_of_sets(tmp_path):
    write(tmp_path, mine(), "a.toml")
    write(tmp_path, mine(('id = "mine"', 'id = "second"')), "b.toml")
    write(tmp_path, "not a set", "README.txt")
    library = Library()
    assert [components.id for components in library.add_directory(tmp_path)] == ["mine", "second"]
    assert library.entries("gatto")[0].components.id == "reconstructed"
    with pytest.raises(ComponentError, match="is not a directory"):
        Library().add_directory(tmp_path / "a.toml")
    write(tmp_path, "x", "c.toml")
    with pytest.raises(ComponentError, match=r"c\.toml"):
        Library().add_directory(tmp_path)


def test_connect_four_has_nothing_to_configure(tmp_path):
    text = 'game = "connect_four"\nid = "mine"\nname = "Mine"\nrows = 7\n'
    text += 'provenance.board = {source = "public", note = "by hand"}\n'
    [(key, reason)] = faults(write(tmp_path, text))
    assert key == "rows"
    assert reason.startswith("unknown key")


# --- the sets that come with the engine ----------------------------------------------------------

# By hand from the rulings: spaces bottom to top, drink tiles, coins for 1, 2, 3 different preparations.
DRINKS = {
    "espresso": ("C", [1, 2, 3, 4, 5], [2]),
    "doppio": ("CC", [2, 4, 5, 6, 7], [3, 1]),
    "macchiato": ("CM", [2, 4, 5, 6, 7], [3, 1]),
    "cappuccino": ("CCM", [3, 6, 8, 10, 12], [5, 3, 1]),
    "latte_macchiato": ("MMCM", [4, 8, 10, 12, 14], [7, 4, 2]),
}


@pytest.mark.parametrize("set_id", ["reconstructed", "owners"])
def test_figures_of_the_built_in_sets(set_id):
    answer = Brain(Library()).get_components(pb.GetComponentsRequest(game="gatto", component_set={"id": set_id}))
    parts = answer.components.gatto
    # Rulebook: 36 tiles of values 1 to 4 with three preparations, 45 coins, 12 sugar cubes, 45 drink tiles, 5 cups.
    kinds = {(entry.tile.value, entry.tile.preparation): entry.count for entry in parts.tiles}
    assert kinds == {(value, preparation): 3 for value in (1, 2, 3, 4) for preparation in (1, 2, 3)}
    assert sum(kinds.values()) == 36
    assert (parts.coins, parts.sugar, len(parts.drinks)) == (45, 12, 5)
    assert sum(len(drink.points) - 1 + 5 for drink in parts.drinks) == 45  # the lowest five times
    assert list(parts.row_surcharge) == [0, 0, 0, 1, 2]  # rulebook: +1 and +2 in the top two rows
    letter = {gatto_pb2.GATTO_COLOR_MILK: "M", gatto_pb2.GATTO_COLOR_COFFEE: "C"}
    found = {
        drink.id: ("".join(letter[color] for color in drink.spaces), list(drink.points), list(drink.menu))
        for drink in parts.drinks
    }
    expected = dict(DRINKS)
    if set_id == "owners":
        expected["cappuccino"] = ("CMM", *DRINKS["cappuccino"][1:])
    assert found == expected
    assert list(found) == list(DRINKS)


@pytest.mark.parametrize("set_id", ["reconstructed", "owners"])
def test_the_built_in_sets_say_what_is_reconstructed(set_id):
    games = Brain(Library()).list_games(pb.ListGamesRequest()).games
    [gatto] = [game for game in games if game.id == "gatto"]
    [found] = [one for one in gatto.component_sets if one.ref.id == set_id]
    assert found.reconstructed
    assert found.is_default == (set_id == "reconstructed")
    source = {origin.group: pb.Source.Name(origin.source)[7:].lower() for origin in found.provenance}
    assert source == {
        "reserves": "rulebook", "tile_total": "rulebook", "tile_kinds": "reconstructed", "espresso_cup": "owners",
        "doppio_cup": "owners", "macchiato_cup": "owners",
        "cappuccino_cup": "reconstructed" if set_id == "reconstructed" else "owners",
        "latte_macchiato_size": "owners", "latte_macchiato_order": "reconstructed", "cappuccino_points": "rulebook",
        "points": "reconstructed", "cappuccino_menu": "rulebook", "menu": "reconstructed",
    }  # fmt: skip
    assert all(origin.note for origin in found.provenance)


def test_built_in_ids_and_hashes_differ():
    sets = [entry.components for entry in Library().entries("gatto")]
    assert [components.id for components in sets] == ["reconstructed", "owners"]
    assert sets[0].hash != sets[1].hash
