"""The command play: one subcommand per game, a person against levels in the terminal."""
from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cafebrain_cli.exits import Refused
from cafebrain_cli.game_group import GameGroup, options_given, setup_options
from cafebrain_cli.params import UINT32, LevelType, components_option, examples, language_option

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

DEFAULT_LEVEL = 3


class PlayGroup(GameGroup):
    """Plays a game."""

    def command_of(self, game: pb.Game) -> click.Command:
        """Return the subcommand that plays a game."""
        return _command(game)


@click.group(
    cls=PlayGroup, subcommand_metavar="GAME [OPTIONS]", options_metavar="",
    epilog=examples(
        "cafebrain play connect_four",
        "cafebrain play connect_four --level 2 --record game.jsonl",
        "cafebrain play connect_four --resume game.jsonl",
        "cafebrain play connect_four --seat 1 --seat 2",
    ),
)
def play() -> None:
    """Play against the brain in the terminal.

    Type "?" during a game for help. The record of a game can be resumed, and read by 'cafebrain review'.
    """


def _command(game: pb.Game) -> click.Command:
    def run(
        players: int,
        set_id: str | None,
        seats: tuple[int, ...],
        level: int,
        seed: int,
        physical: bool,
        record: str | None,
        resume: str | None,
        language: str,
        files: tuple[str, ...],
        **given: str | bool | None,
    ) -> None:
        from cafebrain.v1 import brain_service_pb2 as pb
        from cafebrain.v1 import game_pb2
        from cafebrain_cli.records import read_record
        from cafebrain_cli.session import Session, Setup
        from cafebrain_cli.source import load_library, set_in
        from solver.brain import Brain

        brain = Brain(load_library(files)[0])
        setup = Setup(frozenset(seats or (1,)), level, seed, physical, record, language)
        if resume is None:
            request = pb.NewGameRequest(
                game=game.id,
                players=players,
                component_set=game_pb2.ComponentSetRef(id=set_id or set_in(files, game.id)),
                options=options_given(game, given),
                seed=seed,
                stop_at_chance=True,
            )
            session = Session(brain, brain.new_game(request).state, setup)
        else:
            state, steps = read_record(resume)
            if state.WhichOneof("game") != game.id:
                raise Refused(f"{resume}: is no record of {game.id}")
            session = Session(brain, state, setup)
            session.replay(steps)
        session.play()

    function = components_option(language_option(run))
    function = click.option("--resume", metavar="FILE", help="Go on with a recorded game.")(function)
    function = click.option("--record", metavar="FILE", help="Keep the record of the game in this file.")(function)
    function = click.option("--physical", is_flag=True, help="Draws are made at a real table: ask for each.")(function)
    function = click.option(
        "--seed", type=click.IntRange(0, UINT32), metavar="N", default=0, help="Seed of everything random; default 0."
    )(function)
    function = click.option(
        "--level", type=LevelType(), default=DEFAULT_LEVEL, show_default=True, metavar="N",
        help="Level of the brain, from 1 for a beginner's, or max: a second a move.",
    )(function)
    function = click.option(
        "--seat", "seats", type=click.IntRange(1, game.max_players), multiple=True, metavar="P",
        help="Player who is a person, repeatable; default 1.",
    )(function)
    function = setup_options(game, function)
    summary = f"Play {game.name} against the brain."
    return click.command(name=game.id, short_help=game.name, help=summary)(function)
