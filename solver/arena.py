"""Matches between two players in pairs of games that share their draws, and what they have shown so far.

A pair is one deal played twice. With two players a and b change seats. With more, a sits alone among players b, then b
alone among players a, in the same seat; the seat moves on from pair to pair. Alone at the table, a and b play the same
deal for points.

Draws have seeds of their own: the n-th draw of a game depends on the deal, on n and on what can come, and on nothing
that the players' searches do. So both games of a pair see the same draws for as long as the same can come.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from cafebrain.v1 import brain_service_pb2 as pb
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from solver.brain import Brain
from solver.elo import Interval, Sprt, mean_interval, rate_interval
from solver.journal import Journal
from solver.players import Player
from solver.positions import Position, decode_state

UINT32 = (1 << 32) - 1


@dataclass(frozen=True)
class Played:
    """A game of a match. number: from 0; two neighbours, the first one even, are a pair."""

    number: int
    wins: tuple[float, ...]  # share of the win per seat
    scores: tuple[float, ...]  # final score per seat
    steps: int  # moves and draws


def steps(position: Position, players: Sequence[Player], deal: int, play: int) -> Iterator[tuple[Position, int]]:
    """Play a position on to the end, in place; yield it before each move or draw, with the move or draw.

    players: one per seat; each sees what the player to move can know. deal, play: seeds of the draws and of what is
    random in the players' choices, 0 to 2**64 - 1.
    """
    state = position.state
    draws = step = 0
    while state.to_move != GAME_OVER:
        if state.to_move == CHANCE_POINT:
            move = state.sample(Random(_mix(deal, draws)))
            draws += 1
        else:
            seed = _mix(play, step)
            seen = Position(position.entry, state.copy())
            seen.state.determinize(state.to_move, Random(seed))
            move = players[state.to_move](seen, seed & UINT32)
        yield position, move
        state.apply(move)
        step += 1


class Match:
    """Pairs of games between players a and b.

    setup: the game; its seed is not used. seed: of all deals and choices, 0 to 2**32 - 1.

    Raises BrainError where there is no such game.
    """

    def __init__(self, brain: Brain, setup: pb.NewGameRequest, a: Player, b: Player, seed: int) -> None:
        self._brain, self._setup, self._seed = brain, setup, seed
        self._a, self._b = a, b
        self._stopped = False
        self.players = self._deal(0).state.players

    def play(self, number: int) -> Played:
        """Play the game with a number; the result depends on nothing else unless a search ends by the clock."""
        pair, half = divmod(number, 2)
        deal = _mix(self._seed, pair)
        position = self._deal(deal & UINT32)
        lone, rest = (self._a, self._b) if half == 0 else (self._b, self._a)
        seats = [lone if seat == lone_seat(number, self.players) else rest for seat in range(self.players)]
        made = 0
        for _ in steps(position, seats, deal, _mix(deal, half, 0)):
            if self._stopped:
                raise InterruptedError
            made += 1
        wins, scores = position.state.returns()
        return Played(number, tuple(wins), tuple(scores), made)

    def run(self, numbers: Iterable[int], threads: int) -> Iterator[Played]:
        """Play games, so many at a time, and yield each when it has ended. Games in progress end with the iterator."""
        waiting = iter(numbers)
        self._stopped = False
        with ThreadPoolExecutor(threads) as pool:
            running: set[Future[Played]] = {pool.submit(self.play, number) for number in islice(waiting, threads)}
            try:
                while running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
                    running |= {pool.submit(self.play, number) for number in islice(waiting, len(done))}
            finally:
                self._stopped = True

    def _deal(self, seed: int) -> Position:
        setup = pb.NewGameRequest()
        setup.CopyFrom(self._setup)
        setup.seed = seed
        setup.stop_at_chance = True
        return decode_state(self._brain.library, self._brain.new_game(setup).state)


def lone_seat(number: int, players: int) -> int:
    """Return the seat, from 0, of the one who sits alone: a in even games, b in odd ones."""
    return number // 2 % players


class Tally:
    """What a match has shown so far: the pairs that are whole, in order, up to the verdict of a test."""

    def __init__(self, players: int, sprt: Sprt | None = None) -> None:
        self.players = players
        self.sprt = sprt
        self.rates: list[float] = []  # of each pair, from the view of a: 0.5 where both are equal, 1 where a wins all
        self.leads: list[float] = []  # of each pair: points by which a is ahead of the others' mean
        self.shares: list[float] = []  # of each pair: share of the win of a alone among b
        self.means: tuple[list[float], list[float]] = ([], [])  # of each pair: score of the lone a, and of the lone b
        self._waiting: dict[int, Played] = {}

    @property
    def decided(self) -> bool:
        """Whether the test has come to a verdict; later pairs do not count."""
        return self.sprt is not None and self.sprt.verdict != "open"

    def add(self, played: Played) -> None:
        """Take in a game, in any order."""
        self._waiting[played.number] = played
        while not self.decided and {first := 2 * len(self.rates), first + 1} <= self._waiting.keys():
            self._add_pair(self._waiting.pop(first), self._waiting.pop(first + 1))

    def rate(self) -> Interval:
        """Return the score rate of a: 0.5 where both are equally strong."""
        return rate_interval(self.rates)

    def lead(self) -> Interval:
        """Return the points by which a is ahead."""
        return mean_interval(self.leads)

    def share(self) -> Interval:
        """Return the share of the win of a alone among players b; the fair share is 1 to the number of players."""
        return rate_interval(self.shares)

    def _add_pair(self, first: Played, second: Played) -> None:
        seat = lone_seat(first.number, self.players)
        mine, theirs = first.scores[seat], second.scores[seat]
        if self.players == 1:
            rate = 0.5 + 0.5 * ((mine > theirs) - (mine < theirs))
            lead = mine - theirs
        else:
            rate = (1 + first.wins[seat] - second.wins[seat]) / 2
            lead = (_lead(first.scores, seat) - _lead(second.scores, seat)) / 2
        self.rates.append(rate)
        self.leads.append(lead)
        self.shares.append(first.wins[seat])
        self.means[0].append(mine)
        self.means[1].append(theirs)
        if self.sprt is not None:
            self.sprt.add(rate)


class Log:
    """The games of a match in a journal: what is played, then a line per game.

    header: what is played; a file of another match is refused. resume: go on with the file if it is there.

    Raises ValueError where the file is there and cannot be gone on with, OSError where it cannot be used.
    """

    def __init__(self, path: Path, header: dict[str, Any], resume: bool) -> None:
        if path.is_file() and not resume:
            raise ValueError("is there already; go on with it, or name another file")
        self._journal = Journal(path)
        try:
            self.games = _games(self._journal.records, header)  # those that were there
        except ValueError:
            self.close()
            raise
        if not self._journal.records:
            self._journal.append(header)

    def add(self, played: Played) -> None:
        """Write a game."""
        self._journal.append(asdict(played))

    def close(self) -> None:
        """Close the file."""
        self._journal.close()


def _games(records: Sequence[dict[str, Any]], header: dict[str, Any]) -> list[Played]:
    """Return the games of a match's records, after checking that it is this match."""
    games = []
    for number, found in enumerate(records, 1):
        if number == 1:
            different = sorted(key for key in {*found, *header} if found.get(key) != header.get(key))
            if different:
                if found.get("game") is None:
                    raise ValueError("line 1 is no header of a match")
                made = ", ".join(f"{key} {found.get(key)!r}, not {header.get(key)!r}" for key in different)
                raise ValueError(f"is of another match: {made}")
            continue
        try:
            games.append(Played(found["number"], tuple(found["wins"]), tuple(found["scores"]), found["steps"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"line {number} is no line of a match") from error
    return games


def _lead(scores: Sequence[float], seat: int) -> float:
    return scores[seat] - (sum(scores) - scores[seat]) / (len(scores) - 1)


def _mix(*parts: int) -> int:
    """Return a seed of 64 bits that depends on all parts."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "little")
