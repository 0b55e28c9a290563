"""Random boards of Café for tests: areas from random play, cubes scattered by hand."""
from __future__ import annotations

import random
from typing import Any

from cython_ext.game import State
from cython_ext.rng import Random
from engines.cafe.codes import STEP_NAMES, unpack
from engines.cafe.components import KINDS, CafeComponents
from engines.cafe.rules import CafeGame
from tests.reference import cafe as ref


def random_board(
    game: CafeGame, seed: int, players: int = 1, expresso: bool = False, actions: int = 1, rounds: int = 8,
    filled: float = 0.5, scarce: bool = False,
) -> State:
    """Return a position at the start of an action, with `actions` actions left and some piles of cubes.

    filled: chance of each square to hold cubes. scarce: of most colours the others' warehouses hold nearly all.
    """  # fmt: skip
    dice = random.Random(seed)
    rng = Random(seed)
    while True:
        starts = dice.sample(range(56, 60), players)
        state = game.initial(players, starts, 0, False, expresso)
        while state.to_move != -2:
            fields = game.read(state)
            if STEP_NAMES[fields["step"]] == "act":
                if fields["round"] == rounds:
                    scatter(game.components.contents, fields, state.to_move, dice, filled)
                    fields["actions"] = actions
                    state = game.build(fields)
                    return hoard(state, dice) if scarce else state
                state.apply(max(state.moves()))  # end
            else:
                state.random_step(rng)


def hoard(state: State, dice: random.Random) -> State:
    """Return the position with most of the supply in the warehouse of the next player."""
    game = state.game
    assert isinstance(game, CafeGame)
    fields = game.read(state)
    other = fields["areas"][(state.to_move + 1) % fields["players"]]
    for color, left in enumerate(fields["supply"]):
        other["warehouse"][color] += max(0, left - dice.choice([0, 0, 0, 1, 1, 2, 4, 35]))
    return game.build(fields)


def scatter(contents: CafeComponents, fields: dict[str, Any], player: int, dice: random.Random, filled: float) -> None:
    """Put random piles on one player's squares, as far as the supply reaches."""
    area, supply = fields["areas"][player], list(fields["supply"])
    cards = contents.cards

    def take(color: int, count: int) -> list[int]:
        count = min(count, supply[color])
        supply[color] -= count
        return list(ref.one(color, count))

    for cell, (kind, _, _) in area["visible"].items():
        card = cards[area["cards"][cell // 6][0]]
        face = card.squares[cell % 6]
        name = KINDS[kind]
        if dice.random() > filled:
            continue
        if name in ("plantation", "double"):
            area["cubes"][cell] = take(face.color, dice.randint(1, 2) if name == "double" else 1)
        elif name in ("sack", "waiter"):
            area["cubes"][cell] = take(dice.randrange(4), 1)
        elif name in ("dry", "roast"):
            area["cubes"][cell] = take(dice.randrange(4), dice.randint(1, 3))
        elif cell in area["shops"]:
            cubes = [0, 0, 0, 0]
            for color, need in enumerate(card.shops[face.shop].cubes):
                cubes[color] = take(color, dice.randint(0, need))[color]
            area["cubes"][cell] = cubes
    area["cubes"] = {cell: cubes for cell, cubes in area["cubes"].items() if any(cubes)}
    for color in range(4):
        count = dice.randint(0, 3)
        area["warehouse"][color] += take(color, count)[color]


def mirror(state: State) -> ref.Game:
    """Return the reference's view of a board, with no more than an action phase needs."""
    game = state.game
    assert isinstance(game, CafeGame)
    fields = game.read(state)
    contents = game.components.contents
    other = ref.Game(contents, [cards["cards"][0][0] for cards in fields["areas"]], 0, False, fields["expresso"])
    for player, area in enumerate(fields["areas"]):
        mine = ref.Area(warehouse=tuple(area["warehouse"]))
        other.areas[player] = mine
        for card in area["cards"]:
            other.lay(mine, *card)
        where = {cell: (row, column) for cell, (_, row, column) in area["visible"].items()}
        for cell, cubes in area["cubes"].items():
            if cell in area["shops"]:
                mine.served[cell // 6, other.face(mine, where[cell]).shop] = tuple(cubes)
            else:
                mine.cubes[where[cell]] = tuple(cubes)
    other.actions, other.open, other.step = fields["actions"], None, "act"
    other.round, other.master = fields["round"], fields["master"]
    return other


def key(state: State, player: int) -> tuple[object, ...]:
    """What an action phase changes, as the reference's `key` writes it."""
    game = state.game
    assert isinstance(game, CafeGame)
    area = game.read(state)["areas"][player]
    where = {cell: (row, column) for cell, (_, row, column) in area["visible"].items()}
    squares = area["cards"]
    contents = game.components.contents
    cubes, served = [], []
    for cell, pile in area["cubes"].items():
        if cell in area["shops"]:
            face = contents.cards[squares[cell // 6][0]].squares[cell % 6]
            served.append(((cell // 6, face.shop), tuple(pile)))
        else:
            cubes.append((where[cell], tuple(pile)))
    return tuple(sorted(cubes)), tuple(sorted(served)), tuple(area["warehouse"])


def one_action(state: State) -> set[tuple[object, ...]]:
    """Every way to complete one action through the micro-moves, without separate discards."""
    player = state.to_move
    found: set[tuple[object, ...]] = set()
    before = state.game.read(state)

    def follow(s: State, begun: bool) -> None:
        fields = s.game.read(s)
        mine = s.to_move == player and fields["round"] == before["round"] and fields["step"] in (5, 6)
        if begun and STEP_NAMES[fields["step"]] != "grow":
            found.add(key(s, player))
        if not mine:
            return
        for code in s.moves():
            if unpack(code).kind in ("end", "discard"):
                continue
            child = s.copy()
            child.apply(code)
            follow(child, True)

    follow(state, False)
    return found


def dominates(p: tuple[Any, ...], q: tuple[Any, ...]) -> bool:
    """Whether a key has at least another's cubes everywhere."""
    for mine, theirs in ((dict(p[0]), dict(q[0])), (dict(p[1]), dict(q[1]))):
        for where, cubes in theirs.items():
            other = mine.get(where, ref.NONE)
            if any(b > a for a, b in zip(other, cubes, strict=True)):
                return False
    return all(a >= b for a, b in zip(p[2], q[2], strict=True))


def undominated(keys: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    weight = {k: sum(sum(c) for _, c in k[0]) + sum(sum(c) for _, c in k[1]) + sum(k[2]) for k in keys}
    for k in sorted(keys, key=lambda k: -weight[k]):
        if not any(dominates(p, k) for p in found):
            found.append(k)
    return set(found)
