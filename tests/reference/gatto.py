"""Reference rules of Café del Gatto: clear and slow, independent of the native engine.

States are values: `apply` copies its argument and never mutates it. Players, cups and
tile kinds are counted from 0, machine rows and game rounds from 1. A tile is its kind,
an index into `ComponentSet.tiles`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

ROWS = 5
# Price surcharge by machine row.
SURCHARGE = {1: 0, 2: 0, 3: 0, 4: 1, 5: 2}
CLEAN_COST = 2
START_COINS = 5
MAX_ROUNDS = 200
# Milk before coffee: the order in which short columns are filled.
COLUMNS = ("M", "C")
PREPARATIONS = ("cold", "frothy", "hot")

Move = tuple[str | int, ...]
Step = Literal["fresh", "cleaned", "bought", "serving", "intermediate_serving", "intermediate_emptying"]
# A cup is either its tiles bottom to top, or the points of the drink tile it was served for.
Cup = list[int] | int


@dataclass(frozen=True)
class CupType:
    """One of the cups every player owns."""

    drink: str
    colours: str  # one 'C' or 'M' per space, bottom to top
    points: tuple[int, ...]  # drink tile values, ascending
    menu: tuple[int, ...]  # coins for 1, 2, 3 different preparations


@dataclass(frozen=True)
class ComponentSet:
    """The printed components; `coins` or `sugar` None means an unlimited reserve."""

    tiles: tuple[tuple[int, str, int], ...]  # (value, preparation, count)
    cups: tuple[CupType, ...]
    coins: int | None = 45
    sugar: int | None = 12


RECONSTRUCTED = ComponentSet(
    tiles=tuple((v, preparation, 3) for v in (1, 2, 3, 4) for preparation in PREPARATIONS),
    cups=(
        CupType("espresso", "C", (1, 2, 3, 4, 5), (2,)),
        CupType("doppio", "CC", (2, 4, 5, 6, 7), (3, 1)),
        CupType("macchiato", "CM", (2, 4, 5, 6, 7), (3, 1)),
        CupType("cappuccino", "CCM", (3, 6, 8, 10, 12), (5, 3, 1)),
        CupType("latte macchiato", "MMCM", (4, 8, 10, 12, 14), (7, 4, 2)),
    ),
)

# Three owners of the printed game report the cappuccino as C M M.
OWNERS = replace(
    RECONSTRUCTED,
    cups=tuple(replace(cup, colours="CMM") if cup.drink == "cappuccino" else cup for cup in RECONSTRUCTED.cups),
)


@dataclass
class State:
    """Everything on the table; all of it is public.

    `player` is whose turn it is; during an intermediate round it stays the player whose
    turn just ended, and `queue` holds those still to act in it, the next one first.
    """

    player: int
    start_player: int
    coins: list[int]
    sugar: list[int]
    cups: list[list[Cup]]  # by player, then cup index
    columns: dict[str, list[int]]  # 'M' and 'C', row 1 first
    drink_tiles: dict[str, dict[int, int]]  # copies left by drink and points
    bag: list[int]  # a count per kind; with unknown discards, of all unseen tiles
    discard: list[int]  # a count per kind of the known discards
    round: int = 1
    step: Step = "fresh"
    queue: list[int] = field(default_factory=list)
    over: bool = False
    unknown_discards: int = 0  # tiles of the discard pile that `bag` counts

    @property
    def players(self) -> int:
        return len(self.coins)


def initial(cs: ComponentSet, players: int, start_player: int = 0) -> State:
    """The table before any tile is drawn: ten draws come next."""
    if not 2 <= players <= 5:
        raise ValueError(f"2 to 5 players, not {players}")
    if not 0 <= start_player < players:
        raise ValueError(f"no player {start_player}")
    coins = [START_COINS] * players
    coins[start_player] -= 1
    return State(
        player=start_player,
        start_player=start_player,
        coins=coins,
        sugar=[0] * players,
        cups=[[[] for _ in cs.cups] for _ in range(players)],
        columns={"M": [], "C": []},
        # The lowest value has one copy per player, every other value one.
        drink_tiles={cup.drink: {p: players if p == min(cup.points) else 1 for p in cup.points} for cup in cs.cups},
        bag=[count for _, _, count in cs.tiles],
        discard=[0] * len(cs.tiles),
    )


def copy_state(s: State) -> State:
    """An independent copy."""
    return replace(
        s,
        coins=list(s.coins),
        sugar=list(s.sugar),
        cups=[[c if isinstance(c, int) else list(c) for c in cups] for cups in s.cups],
        columns={colour: list(column) for colour, column in s.columns.items()},
        drink_tiles={drink: dict(left) for drink, left in s.drink_tiles.items()},
        bag=list(s.bag),
        discard=list(s.discard),
        queue=list(s.queue),
    )


# --- reading a state ---------------------------------------------------------------------


def _from_reserve(total: int | None, held: list[int], wanted: int) -> int:
    """How many of `wanted` pieces the reserve can give: those of the set nobody holds."""
    if total is None:
        return wanted
    return min(wanted, total - sum(held))


def _is_filled(cs: ComponentSet, s: State, player: int, cup: int) -> bool:
    content = s.cups[player][cup]
    return not isinstance(content, int) and len(content) == len(cs.cups[cup].colours)


def _has_filled(cs: ComponentSet, s: State, player: int) -> bool:
    return any(_is_filled(cs, s, player, cup) for cup in range(len(cs.cups)))


def _tiles_in(content: Cup) -> int:
    """Tiles lying in a cup; a served cup holds none."""
    return 0 if isinstance(content, int) else len(content)


def _somebody_served_all(s: State) -> bool:
    return any(all(isinstance(content, int) for content in cups) for cups in s.cups)


def _nothing_to_draw(s: State) -> bool:
    """Bag and discard pile are both empty. Unknown discards are counted in `bag`."""
    return sum(s.bag) == 0 and sum(s.discard) == 0


def _short_column(s: State) -> str | None:
    """The column the next draw fills."""
    for colour in COLUMNS:
        if len(s.columns[colour]) < ROWS:
            return colour
    return None


def _draw_pending(s: State) -> bool:
    # Nothing is drawn inside a serve or an intermediate round: a column left short by the
    # buy before such a round waits until the round is complete.
    return (
        not s.over
        and s.step in ("fresh", "cleaned", "bought")
        and _short_column(s) is not None
        and not _nothing_to_draw(s)
    )


def to_move(cs: ComponentSet, s: State) -> int | Literal["chance", "over"]:
    """The player who decides, or 'chance' before a draw, or 'over'."""
    if s.over:
        return "over"
    if _draw_pending(s):
        return "chance"
    return s.queue[0] if s.step.startswith("intermediate") else s.player


def price(cs: ComponentSet, s: State, colour: str, row: int) -> int:
    """Coins to pay for the tile of that column in that row."""
    opposite = s.columns["C" if colour == "M" else "M"]
    value = cs.tiles[opposite[row - 1]][0] if row <= len(opposite) else 0
    return value + SURCHARGE[row]


# --- legal moves -------------------------------------------------------------------------


def moves(cs: ComponentSet, s: State) -> list[Move]:
    """All legal moves of the player to decide; none at a chance point or after the end."""
    player = to_move(cs, s)
    if not isinstance(player, int):
        return []
    match s.step:
        case "fresh":
            return [
                *_cleans(s, player),
                *_buys(cs, s, player),
                *_serves(cs, s, player),
                ("take_coins",),  # also from an empty reserve
            ]
        case "cleaned":
            return [*_cleans(s, player), *_buys(cs, s, player), ("end_turn",)]
        case "serving":
            return [*_serves(cs, s, player), ("stop_serving",)]
        case "intermediate_serving":
            return _serves(cs, s, player)
        case "intermediate_emptying":
            most = max(_tiles_in(content) for content in s.cups[player])
            return [("empty", cup) for cup, content in enumerate(s.cups[player]) if _tiles_in(content) == most]
        case _:
            raise ValueError("a buy without a tile to draw has ended its turn already")


def _cleans(s: State, player: int) -> list[Move]:
    if s.coins[player] < CLEAN_COST:
        return []
    return [("clean", colour) for colour in COLUMNS if s.columns[colour]]


def _buys(cs: ComponentSet, s: State, player: int) -> list[Move]:
    found: list[Move] = []
    for colour in COLUMNS:
        for row in range(1, len(s.columns[colour]) + 1):
            if price(cs, s, colour, row) > s.coins[player]:
                continue
            for cup, content in enumerate(s.cups[player]):
                if isinstance(content, int):
                    continue
                # Bottom up: only the lowest free space counts.
                free_spaces = cs.cups[cup].colours[len(content) :]
                if free_spaces.startswith(colour):
                    found.append(("buy", colour, row, cup))
    return found


def _serves(cs: ComponentSet, s: State, player: int) -> list[Move]:
    found: list[Move] = []
    for cup, content in enumerate(s.cups[player]):
        if isinstance(content, int) or not _is_filled(cs, s, player, cup):
            continue
        reach = sum(cs.tiles[kind][0] for kind in content) + s.sugar[player]
        for points, left in s.drink_tiles[cs.cups[cup].drink].items():
            if left > 0 and points <= reach:
                found.append(("serve", cup, points))
    return found


def draws(cs: ComponentSet, s: State) -> list[tuple[Move, Fraction]]:
    """The possible draws at a chance point with their probabilities."""
    if not _draw_pending(s):
        return []
    pool = _refilled(s).bag
    return [(("draw", kind), Fraction(count, sum(pool))) for kind, count in enumerate(pool) if count]


# --- transitions -------------------------------------------------------------------------


def apply(cs: ComponentSet, s: State, move: Move) -> State:
    """The state after a legal move or draw; ValueError for any other."""
    legal = [draw for draw, _ in draws(cs, s)] if _draw_pending(s) else moves(cs, s)
    if move not in legal:
        raise ValueError(f"illegal move {move}")
    new = copy_state(s)
    match move:
        case ("draw", int(kind)):
            return _draw(cs, new, kind)
        case ("clean", str(colour)):
            new.coins[s.player] -= CLEAN_COST
            for kind in new.columns[colour]:
                new.discard[kind] += 1
            new.columns[colour] = []
            new.step = "cleaned"
            return new
        case ("buy", str(colour), int(row), int(cup)):
            return _buy(cs, new, colour, row, cup)
        case ("serve", int(cup), int(points)):
            if s.step == "intermediate_serving":
                _serve(cs, new, s.queue[0], cup, points)
                return _next_in_queue(new)
            _serve(cs, new, s.player, cup, points)
            new.step = "serving"
            return new
        case ("take_coins",):
            new.coins[s.player] += _from_reserve(cs.coins, s.coins, 2)
            return _end_turn(cs, new)
        case ("stop_serving",) | ("end_turn",):
            return _end_turn(cs, new)
        case ("empty", int(cup)):
            _discard_cup(new, s.queue[0], cup)
            new.cups[s.queue[0]][cup] = []
            return _next_in_queue(new)
    raise ValueError(f"unknown move {move}")


def _refilled(s: State) -> State:
    """A copy in which an empty bag has taken the whole discard pile, known and unknown."""
    new = copy_state(s)
    if sum(new.bag) - new.unknown_discards == 0:
        new.bag = [unseen + known for unseen, known in zip(new.bag, new.discard, strict=True)]
        new.discard = [0] * len(new.discard)
        new.unknown_discards = 0
    return new


def _draw(cs: ComponentSet, s: State, kind: int) -> State:
    s = _refilled(s)
    s.bag[kind] -= 1
    colour = _short_column(s)
    assert colour is not None
    s.columns[colour].append(kind)
    if s.step == "bought" and not _draw_pending(s):
        return _end_turn(cs, s)
    return s


def _buy(cs: ComponentSet, s: State, colour: str, row: int, cup: int) -> State:
    s.coins[s.player] -= price(cs, s, colour, row)
    kind = s.columns[colour].pop(row - 1)  # the tiles above slide down
    content = s.cups[s.player][cup]
    assert not isinstance(content, int)
    content.append(kind)
    if cs.tiles[kind][0] == 1:
        s.sugar[s.player] += _from_reserve(cs.sugar, s.sugar, 1)
    s.step = "bought"
    return s if _draw_pending(s) else _end_turn(cs, s)


def _serve(cs: ComponentSet, s: State, player: int, cup: int, points: int) -> None:
    content = s.cups[player][cup]
    assert not isinstance(content, int)
    value = sum(cs.tiles[kind][0] for kind in content)
    preparations = {cs.tiles[kind][1] for kind in content}
    # Sugar only as far as needed, so a tile reached with sugar pays no difference.
    s.sugar[player] -= max(0, points - value)
    payment = cs.cups[cup].menu[len(preparations) - 1] + max(0, value - points)
    s.coins[player] += _from_reserve(cs.coins, s.coins, payment)
    s.drink_tiles[cs.cups[cup].drink][points] -= 1
    _discard_cup(s, player, cup)
    s.cups[player][cup] = points


def _discard_cup(s: State, player: int, cup: int) -> None:
    """Counts a cup's tiles onto the discard pile; the caller replaces its content."""
    content = s.cups[player][cup]
    assert not isinstance(content, int)
    for kind in content:
        s.discard[kind] += 1


def _round_complete(s: State) -> bool:
    """Whether the turn of `player` is the last of its round."""
    return (s.player + 1) % s.players == s.start_player


def _end_turn(cs: ComponentSet, s: State) -> State:
    # The end of the game comes before an intermediate round.
    if _round_complete(s) and (_somebody_served_all(s) or s.round >= MAX_ROUNDS):
        return _finish(s)
    if not _nothing_to_draw(s):
        return _begin_turn(s)
    # Serving or emptying is settled now for the whole pass. Nobody's cups change by what
    # the others do in it, so the queue is settled as well. The player whose turn just
    # ended is the last in it.
    order = [(s.player + i) % s.players for i in range(1, s.players + 1)]
    servers = [player for player in order if _has_filled(cs, s, player)]
    if servers:
        s.step, s.queue = "intermediate_serving", servers
    else:
        s.step = "intermediate_emptying"
        s.queue = [player for player in order if any(_tiles_in(c) for c in s.cups[player])]
    return s if s.queue else _begin_turn(s)


def _next_in_queue(s: State) -> State:
    s.queue = s.queue[1:]
    if s.queue:
        return s
    # Between two rounds of the game a fifth cup served just now leaves no round to complete.
    if _round_complete(s) and _somebody_served_all(s):
        return _finish(s)
    return _begin_turn(s)


def _begin_turn(s: State) -> State:
    """The next player's turn; columns still short are refilled by draws before it."""
    if _round_complete(s):
        s.round += 1
    s.player = (s.player + 1) % s.players
    s.step = "fresh"
    return s


def _finish(s: State) -> State:
    s.over = True
    s.step = "fresh"
    return s


# --- scoring -----------------------------------------------------------------------------


def score_items(cs: ComponentSet, s: State, player: int) -> dict[str, int]:
    """Points per drink served, and 'sugar' for every two cubes left."""
    items = {cs.cups[cup].drink: content for cup, content in enumerate(s.cups[player]) if isinstance(content, int)}
    items["sugar"] = s.sugar[player] // 2
    return items


def result(cs: ComponentSet, s: State) -> list[tuple[int, Fraction]]:
    """Score and share of the win per player: most points, then most coins, then shared."""
    scores = [sum(score_items(cs, s, player).values()) for player in range(s.players)]
    ranks = list(zip(scores, s.coins, strict=True))
    winners = ranks.count(max(ranks))
    return [(rank[0], Fraction(1, winners) if rank == max(ranks) else Fraction(0)) for rank in ranks]
