"""The table of Campus Café as a picture."""

from __future__ import annotations

from typing import Any

from cython_ext.game import State
from engines.campus.components import DIE_COLORS, RESOURCES, VARIANTS, CampusSet
from engines.campus.moves import reverse_text, space_text
from engines.campus.notation import SHORT_TYPES
from engines.campus.rules import CampusGame, Step
from engines.campus.wire import WAITER_NAMES, indices, objective_words
from engines.drawing import Picture

RESOURCE_COLORS = ("#5b3a29", "#a9683b", "#6fae8e", "#e08aa0", "#d9b54a")
SPACE_FILLS = {"red": "#efc1bb", "blue": "#bfd3ea", "green": "#c9dfc2", "white": "#ffffff"}
DIE_FILLS = ("#c0392b", "#2f5d9b", "#3f8a45")
WIDTH = 860
SPACE_WIDTH, SPACE_HEIGHT = 134, 44
CARD_WIDTH, CARD_HEIGHT = 196, 84
TOKEN = 11


def svg(game: CampusGame, state: State) -> str:
    """Return the table as an SVG picture."""
    contents: CampusSet = game.components.contents
    fields = game.read(state)
    spaces = contents.side(VARIANTS[fields["advanced"]]).spaces
    cards = [("", card) for card in indices(fields["table"])]
    cards += [(what, top) for what, top in zip(("deck", "last"), fields["top"], strict=True) if top >= 0]
    space_rows = -(-len(spaces) // 6)
    card_rows = -(-len(cards) // 4)
    top_spaces = 108
    top_cards = top_spaces + space_rows * (SPACE_HEIGHT + 8) + 14
    top_players = top_cards + card_rows * (CARD_HEIGHT + 10) + 14
    heights = [58 + 15 * -(-player["owned"].bit_count() // 3) for player in fields["players"]]
    picture = Picture(WIDTH, top_players + sum(heights) + 10)
    _head(picture, contents, fields)
    for index, space in enumerate(spaces):
        x, y = 16 + index % 6 * (SPACE_WIDTH + 4), top_spaces + index // 6 * (SPACE_HEIGHT + 8)
        picture.rect(x, y, SPACE_WIDTH, SPACE_HEIGHT, fill=SPACE_FILLS[space.color], stroke="#8d8072", radius=6)
        picture.text(x + 6, y + 14, str(index + 1), size=10, fill="#6c6157")
        text = f"{space.times}× {space.source} → {space.target}" if space.times else space_text(space)
        picture.text(x + SPACE_WIDTH / 2, y + 30, text, size=12 if space.times else 14, anchor="middle", bold=True)
        turn = zip(fields["turn"]["die"], fields["turn"]["placed"], strict=True)
        for number, die in enumerate(die for die, place in turn if place == index):
            left = x + SPACE_WIDTH - 20 - 18 * number
            picture.rect(left, y + 4, 15, 15, fill=DIE_FILLS[die], stroke="#222", radius=3)
    for index, (what, card) in enumerate(cards):
        x, y = 16 + index % 4 * (CARD_WIDTH + 10), top_cards + index // 4 * (CARD_HEIGHT + 10)
        _card(picture, contents, card, x, y, what)
    y = top_players
    for index, height in enumerate(heights):
        _player(picture, contents, fields, index, y, height)
        y += height
    return picture.svg()


def _head(picture: Picture, contents: CampusSet, fields: dict[str, Any]) -> None:
    last = ", last round" if fields["last_round"] else ""
    variant = VARIANTS[fields["advanced"]]
    picture.text(16, 30, f"Campus Café, {variant} game, round {fields['round']}{last}", size=18, bold=True)
    goals = "; ".join(objective_words(contents.objectives[i]) for i in fields["objective"] if i >= 0)
    picture.text(16, 52, f"objectives: {goals}", size=12)
    picture.text(16, 78, "zones", size=12)
    for kind, number in enumerate(fields["zone"]):
        x = 66 + 60 * kind
        picture.circle(x, 74, 9, fill=RESOURCE_COLORS[kind], stroke="#222")
        picture.text(x, 78, RESOURCES[kind], size=11, fill="#ffffff", anchor="middle", bold=True)
        picture.text(x + 14, 79, f"× {number}", size=12)
    waiting = [
        DIE_COLORS[die] for die, place in zip(fields["turn"]["die"], fields["turn"]["placed"], strict=True)
        if die >= 0 > place
    ]
    if waiting and fields["step"] == Step.PLACE:
        picture.text(400, 78, f"dice to place: {', '.join(waiting)}", size=12)


def _card(picture: Picture, contents: CampusSet, card: int, x: float, y: float, what: str) -> None:
    printed = contents.cards[card]
    picture.rect(x, y, CARD_WIDTH, CARD_HEIGHT, fill="#fffaf0", stroke="#6c6157", radius=6)
    picture.text(x + 8, y + 16, f"{card + 1}", size=11, fill="#6c6157")
    picture.text(x + CARD_WIDTH - 8, y + 18, f"${printed.check}", size=15, anchor="end", bold=True)
    if what:
        picture.text(x + 34, y + 16, what, size=10, fill="#6c6157")
    for index, letter in enumerate(printed.all_dishes):
        center = x + 20 + 32 * index
        common = index >= len(printed.dishes)
        picture.circle(
            center, y + 36, TOKEN, fill=RESOURCE_COLORS[RESOURCES.index(letter)], stroke="#d9b500" if common else "#222"
        )
        picture.text(center, y + 40, letter, size=12, fill="#ffffff", anchor="middle", bold=True)
        if not common:
            picture.text(center, y + 59, SHORT_TYPES[printed.customers[index]], size=10, anchor="middle")
    if printed.gift:
        picture.text(x + CARD_WIDTH - 8, y + 40, f"gift {printed.gift}", size=10, anchor="end")
    picture.text(x + 8, y + 76, reverse_text(printed), size=10)


def _player(
    picture: Picture, contents: CampusSet, fields: dict[str, Any], index: int, y: float, height: float
) -> None:
    player = fields["players"][index]
    turn = index == fields["active"] and fields["step"] not in (Step.DRAFT, Step.OVER)
    if turn:
        picture.rect(8, y, WIDTH - 16, height - 6, fill="#efe1c8", radius=8)
    waiter = f" {WAITER_NAMES[player['waiter']]}" if player["waiter"] >= 0 else ""
    picture.text(16, y + 22, f"player {index + 1}{waiter}: ${player['score']}", bold=turn)
    filled = [kind for kind, number in enumerate(player["tray"]) for _ in range(number)]
    for place in range(max(player["spaces"], len(filled))):
        x = 220 + 28 * place
        kind = filled[place] if place < len(filled) else None
        picture.circle(x, y + 18, TOKEN, fill="none" if kind is None else RESOURCE_COLORS[kind], stroke="#6c6157")
        if kind is not None:
            picture.text(x, y + 22, RESOURCES[kind], size=12, fill="#ffffff", anchor="middle", bold=True)
    for number, card in enumerate(indices(player["owned"])):
        picture.text(30 + 270 * (number % 3), y + 46 + 15 * (number // 3), reverse_text(contents.cards[card]), size=11)
