"""The table of Campus Café as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from cython_ext.game import State
from engines.campus.checks import whites_used
from engines.campus.codec import counters
from engines.campus.components import (
    CAREERS,
    DIE_COLORS,
    OBJECTIVE_COLORS,
    RESOURCE_NAMES,
    RESOURCES,
    VARIANTS,
    CampusSet,
)
from engines.campus.moves import card_text, reverse_text, space_text
from engines.campus.rules import CampusGame, Step
from engines.campus.wire import TYPE_NAMES, WAITER_NAMES, dislike_words, indices, objective_words

WIDTH = 80
SHORT_TYPES = ("mT", "fT", "mC", "fC", "mA", "fA", "mS", "fS")
BOARD_COLORS = (
    (r"(?m)^Campus Café .*$", "bold"),
    (r"(?m)^> player.*$", "bold green"),
    (r"(?m)(?<=^.\d )red(?= )| red(?= )", "red"),
    (r" blue(?= )", "blue"),
    (r" green(?= )", "green"),
    (r"\$\d+", "yellow"),
)
STEPS = {
    Step.OBJECTIVES: "objectives are laid out",
    Step.TABLES: "cards are laid out",
    Step.DISLIKES: "dislikes are drawn",
    Step.WAITERS: "waiters are laid out",
    Step.DRAFT: "takes a waiter",
    Step.SECRET: "Abigail draws her secret objective",
    Step.ROLL: "rolls the dice",
    Step.COLORS: "chooses the dice",
    Step.PLACE: "places the dice",
    Step.DISCARD_COLLECTED: "discards after collecting",
    Step.SERVE: "serves",
    Step.PAY: "pays",
    Step.GIFT: "chooses a gift",
    Step.TALENT: "chooses the talent's resource",
    Step.DISCARD_SERVED: "discards after a gift or talent",
    Step.DEPLETE: "chooses whose tray is depleted",
    Step.ARRIVAL: "a new top is revealed",
    Step.WILLIAM: "chooses the supply",
    Step.DISCARD_RESTOCKED: "discards after the restock",
    Step.REVEAL_SECRET: "the secret objective is revealed",
    Step.OVER: "game over",
}


def show(game: CampusGame, state: State) -> str:
    """Return the table as text, at most 80 columns wide."""
    contents: CampusSet = game.components.contents
    fields = game.read(state)
    lines = [
        f"Campus Café {VARIANTS[fields['advanced']]}{', dislikes' * fields['dislikes']} ({game.components.id})",
        _turn(fields),
        *wrap("objectives  ", (objective_words(contents.objectives[i]) for i in fields["objective"] if i >= 0)),
    ]
    if fields["secret_color"] >= 0:
        secret = objective_words(contents.objectives[fields["secret"]]) if fields["secret"] >= 0 else "not known here"
        lines.append(f"Abigail's secret {OBJECTIVE_COLORS[fields['secret_color']]} objective  {secret}")
    if fields["waiters"]:
        lines += wrap("waiters  ", (WAITER_NAMES[i] for i in indices(fields["waiters"])))
    lines += [f"zones  {letters(fields['zone'])}", "", *_spaces(contents, fields)]
    lines += [*_progress(contents, fields), "", *_cards(contents, fields), ""]
    if fields["whites"]:
        lines += wrap("white tokens  ", (TYPE_NAMES[i] for i in indices(fields["whites"])))
    for player in range(state.players):
        lines += _player(contents, fields, player)
    return "\n".join(lines)


def wrap(head: str, parts: Iterable[str]) -> list[str]:
    """Return parts separated by commas, on lines of at most WIDTH columns."""
    text = head + ", ".join(part.replace(" ", "\0") if len(part) < WIDTH // 2 else part for part in parts)
    lines = textwrap.wrap(text, WIDTH, subsequent_indent=" " * len(head), drop_whitespace=True)
    return [line.replace("\0", " ") for line in lines]


def letters(counts: Iterable[int]) -> str:
    """Return counts of E H M S C as for example "EE M", or "-"."""
    return " ".join(letter * n for letter, n in zip(RESOURCES, counts, strict=True) if n) or "-"


def score_items(game: CampusGame, state: State) -> list[list[tuple[str, float]]]:
    """Return what scores as the position stands, per player: score track, tray, careers, objectives, secret."""
    contents: CampusSet = game.components.contents
    fields = game.read(state)
    result = []
    for parts in game.score_parts(state):
        items = [("score_track", float(parts["check"])), ("tray", float(parts["tray"]))]
        for career, points in parts["careers"].items():
            items.append((f"career_{CAREERS[career]}" if career >= 0 else "samuel_lowest_career", float(points)))
        for index, points in zip(fields["objective"], parts["objectives"], strict=True):
            if index >= 0:
                items.append((contents.objectives[index].id, float(points)))
        if parts["secret"]:
            items.append(("secret_objective", float(parts["secret"])))
        result.append(items)
    return result


def _turn(fields: dict[str, Any]) -> str:
    step = STEPS[Step(fields["step"])]
    last = ", last round" if fields["last_round"] else ""
    who = f"player {fields['to_move'] + 1} " if fields["to_move"] >= 0 else ""
    if fields["step"] == Step.ROLL:
        who = f"player {fields['active'] + 1} "
    elif fields["step"] in (Step.GIFT, Step.TALENT):
        step += f" for card {fields['turn']['paying'] + 1}"
    elif fields["step"] == Step.DEPLETE:
        step += f" of {RESOURCE_NAMES[next(r for r, n in enumerate(fields['turn']['gifts']) if n)]}"
    return f"round {fields['round']}{last}, {who}{step}"


def _spaces(contents: CampusSet, fields: dict[str, Any]) -> list[str]:
    """Return the dice spaces in two columns."""
    turn = fields["turn"]
    cells = []
    for i, space in enumerate(contents.side(VARIANTS[fields["advanced"]]).spaces):
        dice = [DIE_COLORS[die] for die, place in zip(turn["die"], turn["placed"], strict=True) if place == i]
        mark = f" <{'+'.join(dice)}>" if dice else ""
        cells.append(f"{i + 1:>2} {space.color:<5} {space_text(space)}{mark}"[: WIDTH // 2 - 1])
    half = (len(cells) + 1) // 2
    lines = [f"{cells[i]:<40}{cells[i + half] if i + half < len(cells) else ''}".rstrip() for i in range(half)]
    waiting = [DIE_COLORS[die] for die, place in zip(turn["die"], turn["placed"], strict=True) if die >= 0 > place]
    if waiting and fields["step"] == Step.PLACE:
        lines.append(f"dice to place  {', '.join(waiting)}")
    return lines


def _progress(contents: CampusSet, fields: dict[str, Any]) -> list[str]:
    """Return what was spent and used so far in the running service."""
    turn = fields["turn"]
    parts = []
    if turn["placed"] != [-1, -1] and fields["step"] != Step.PLACE:
        parts.append(f"${turn['money']} of the dice")
    if any(turn["spent"]):
        parts.append(f"{letters(turn['spent'])} spent")
    if any(turn["blue"]):
        parts.append(f"blue tokens {letters(turn['blue'])} used")
    parts += [f"red token {TYPE_NAMES[kind]} used" for kind in indices(turn["red"])]
    if turn["yellow"]:
        parts.append("yellow token used")
    parts += [f"white token {TYPE_NAMES[kind]} held" for kind in indices(turn["white"])]
    if turn["served"] and (used := whites_used(contents, fields)):
        parts.append(f"{counted(used, 'white token')} used")
    for space, used in zip(counters(contents, fields), turn["converted"], strict=False):
        if used:
            parts.append(f"counter {space + 1} used {used}x")
    parts += [f"Samuel's {what} used" for bit, what in enumerate(("shake", "cupcake")) if turn["samuel"] >> bit & 1]
    if fields["step"] == Step.DEPLETE:
        parts.append(f"{letters(turn['gifts'])} to leave the game")
    return wrap("turn  ", parts) if parts else []


def counted(n: int, what: str) -> str:
    """Return for example "1 card" or "2 cards"."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _line(contents: CampusSet, card: int) -> str:
    """Return both sides of a card, such as "33 MMSS $14 gift E  mC mT fS mA  satisfier male teacher"."""
    printed = contents.cards[card]
    customers = " ".join(SHORT_TYPES[kind] for kind in printed.customers)
    return f"{card + 1:>2} {card_text(printed):<18} {customers:<11}  {reverse_text(printed)}"


def _cards(contents: CampusSet, fields: dict[str, Any]) -> list[str]:
    turn, below = fields["turn"], fields["below"]
    lines = [f"  {_line(contents, card)}" for card in indices(fields["table"])]
    if lines:
        lines.append("(m male, f female; T teacher, C classical, A art, S athlete)")
    lines += [
        f"{name} {_line(contents, top)}" for name, top in zip(("deck", "last"), fields["top"], strict=True) if top >= 0
    ]
    lines.append(f"hidden: {counted(below[0], 'card')} of the customers deck, {below[1]} of the last customers deck")
    if turn["served"]:
        lines += ["served:", *(f"  {_line(contents, card)}" for card in indices(turn["served"]))]
    if turn["paying"] >= 0 and fields["step"] == Step.PAY:
        lines += ["paying:", f"  {_line(contents, turn['paying'])}"]
    return lines


def _player(contents: CampusSet, fields: dict[str, Any], index: int) -> list[str]:
    player = fields["players"][index]
    mark = ">" if index == fields["active"] and fields["step"] not in (Step.DRAFT, Step.OVER) else " "
    waiter = f" {WAITER_NAMES[player['waiter']]}" if player["waiter"] >= 0 else ""
    used = sum(player["tray"])
    lines = [
        f"{mark} player {index + 1}{waiter}: ${player['score']}  tray {letters(player['tray'])} "
        f"({used} of {player['spaces']})  {counted(player['owned'].bit_count(), 'card')}"
    ]
    if player["dislike"] >= 0:
        lines += wrap("      dislikes ", [dislike_words(contents.dislikes[player["dislike"]])])
    return lines + [f"      {_line(contents, card)}" for card in indices(player["owned"])]
