"""Hand-written positions of Campus Café on the reconstructed set, and moves by what they say."""

from __future__ import annotations

from typing import Any

from cython_ext.game import State
from engines.campus.components import RESOURCES, VARIANTS
from engines.campus.moves import split
from engines.campus.rules import CampusGame, MoveKind, Step
from engines.library import Library

ENTRY = Library().entry("campus", "reconstructed", "", "set")
GAME = ENTRY.game
assert isinstance(GAME, CampusGame)
CONTENTS = ENTRY.components.contents
ENGINE = ENTRY.engine
WAITERS = ("abigail", "destiny", "john", "melissa", "samuel", "william")
CHANCE = (Step.OBJECTIVES, Step.TABLES, Step.DISLIKES, Step.WAITERS, Step.SECRET, Step.ROLL, Step.ARRIVAL)


def counts(letters: str) -> list[int]:
    return [letters.count(resource) for resource in RESOURCES]


def bits(cards: Any) -> int:
    return sum(1 << card for card in cards)


def card(order: str, **reverse: Any) -> int:
    """The index of the first card with these dishes and properties."""
    for index, printed in enumerate(CONTENTS.cards):
        if (not order or sorted(printed.all_dishes) == sorted(order)) and all(
            getattr(printed, key) == value for key, value in reverse.items()
        ):
            return index
    raise LookupError(order, reverse)


def position(
    step: Step,
    *,
    players: int = 2,
    advanced: bool = False,
    active: int = 0,
    trays: dict[int, str] | None = None,
    owned: dict[int, list[int]] | None = None,
    waiters: tuple[str, ...] = (),
    dislikes: dict[int, str] | None = None,
    scores: dict[int, int] | None = None,
    table: list[int] | None = None,
    tops: tuple[int, int] | None = None,
    below: tuple[int, int] | None = None,
    objectives: tuple[str, str, str] = ("most_espresso", "most_teachers", "fewest_cards"),
    secret: str = "",
    last_round: bool = False,
    round_: int = 2,
    lost: str = "",
    **turn: Any,
) -> State:
    """A position. What is not told: tables and tops are the highest cards nobody owns, zones hold what is left of the
    supply, `lost` resources left the game; further arguments are members of the turn (dice and spaces as lists)."""
    trays, owned, scores = trays or {}, owned or {}, scores or {}
    side = CONTENTS.side(VARIANTS[advanced])
    taken = (
        {i for cards in owned.values() for i in cards}
        | set(table or [])
        | set(tops or ())
        | set(turn.get("served", []))
    )
    taken -= {-1}
    free = [i for i in reversed(range(48)) if i not in taken]
    if table is None:
        table = [free.pop(0) for _ in range(7 - len([i for i in turn.get("served", []) if i not in (tops or ())]))]
    if tops is None:
        tops = (free.pop(0), free.pop(0))
    seen = taken | set(table) | {top for top in tops if top >= 0}
    names = [objective.id for objective in CONTENTS.objectives]
    held = [dislike.id for dislike in CONTENTS.dislikes]
    unseen = ((1 << 48) - 1) & ~bits(seen)
    if below is None:
        last = min(20, unseen.bit_count() // 2)
        below = (unseen.bit_count() - last, last)
    spent = counts(turn.get("spent", ""))
    total = side.supply[players - 2]
    served = bits(turn.get("served", []))
    gifts = [CONTENTS.cards[i].gift for i in turn.get("served", [])]
    placed = turn.get("placed", [-1, -1])
    color = next((o.color for o in CONTENTS.objectives if o.id == secret), "")
    return GAME.build(
        {
            "to_move": -2 if step == Step.OVER else -1 if step in CHANCE else active,
            "step": step,
            "advanced": advanced,
            "dislikes": bool(dislikes),
            "active": active,
            "round": round_,
            "last_round": last_round,
            "objective": [names.index(name) for name in objectives],
            "secret_color": ("yellow", "azure", "gray").index(color) if color else -1,
            "secret": names.index(secret) if secret else -1,
            "waiters": 0,
            "whites": turn.pop("whites", 255 if advanced else 0),
            "top": tops,
            "below": below,
            "zone": [
                n - sum(counts(tray)[r] for tray in trays.values()) - spent[r] - counts(lost)[r]
                for r, n in enumerate(total)
            ],
            "table": bits(table),
            "unseen": unseen,
            "turn": {
                "served": served,
                "die": turn.get("dice", [-1, -1]),
                "placed": placed,
                "paying": turn.get("paying", -1),
                "money": sum(side.spaces[space].money for space in placed if space >= 0) if step != Step.PLACE else 0,
                "spent": spent,
                "blue": counts(turn.get("blue", "")),
                "red": turn.get("red", 0),
                "white": turn.get("white", 0),
                "yellow": turn.get("yellow", 0),
                "converted": turn.get("converted", [0, 0]),
                "samuel": turn.get("samuel", 0),
                "gifts": counts(turn["gifts"])
                if "gifts" in turn
                else [gifts.count(resource) for resource in RESOURCES],
            },
            "players": [
                {
                    "owned": bits(owned.get(p, [])),
                    "score": scores.get(p, 0),
                    "tray": counts(trays.get(p, "")),
                    "waiter": WAITERS.index(waiters[p]) if waiters else -1,
                    "dislike": held.index(dislikes[p]) if dislikes and p in dislikes else -1,
                }
                for p in range(players)
            ],
        }
    )


def texts(state: State) -> list[str]:
    codes = state.moves() or [code for code, _ in state.outcomes()]
    return [ENGINE.move_text(state, code) for code in codes]


def do(state: State, *starts: str) -> State:
    """Make the moves or draws whose texts start like this, one after the other."""
    for start in starts:
        codes = state.moves() or [code for code, _ in state.outcomes()]
        found = [code for code in codes if ENGINE.move_text(state, code).startswith(start)]
        assert len(found) == 1, (start, texts(state))
        state.apply(found[0])
    return state


def serve(state: State, index: int) -> State:
    """Serve a card, and pay where there is no choice."""
    do(state, f"serve card {index + 1}:")
    if len(state.moves()) == 1:
        state.apply(state.moves()[0])
    return state


def draw_on(state: State) -> State:
    """Make every draw that is due, the first outcome each, but stop before the dice."""
    while state.to_move == -1 and GAME.read(state)["step"] != Step.ROLL:
        state.apply(state.outcomes()[0][0])
    return state


def servings(state: State) -> set[int]:
    """Indices of the cards that can be served."""
    return {argument for kind, argument in map(split, state.moves()) if kind == MoveKind.SERVE}


def tray(state: State, player: int = 0) -> str:
    return "".join(r * n for r, n in zip(RESOURCES, GAME.read(state)["players"][player]["tray"], strict=True))


def zone(state: State) -> str:
    return "".join(r * n for r, n in zip(RESOURCES, GAME.read(state)["zone"], strict=True))


def score(state: State, player: int = 0) -> int:
    return GAME.read(state)["players"][player]["score"]


def step(state: State) -> Step:
    return Step(GAME.read(state)["step"])
