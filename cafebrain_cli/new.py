"""The command new: one subcommand per game, with the options that the game declares."""
from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cafebrain_cli.game_group import GameGroup, options_given, setup_options
from cafebrain_cli.params import chance_options, components_option, examples, out_option, server_option

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb


class NewGroup(GameGroup):
    """Sets up a game."""

    def command_of(self, game: pb.Game) -> click.Command:
        """Return the subcommand that sets up a game."""
        return _command(game)


@click.group(
    cls=NewGroup, subcommand_metavar="GAME [OPTIONS]", options_metavar="",
    epilog=examples(
        "cafebrain new connect_four --out game.json",
        "cafebrain new connect_four | cafebrain suggest - --time 200ms",
    ),
)
def new() -> None:
    """Set up a game and print its first position as JSON.

    Each game has options of its own: 'cafebrain new GAME --help' lists them.
    """


def _command(game: pb.Game) -> click.Command:
    """Return the subcommand that sets up a game."""

    def run(
        players: int,
        set_id: str | None,
        seed: int,
        stop_at_chance: bool,
        out: str,
        server: str | None,
        files: tuple[str, ...],
        **given: str | bool | None,
    ) -> None:
        from cafebrain.v1 import brain_service_pb2 as pb
        from cafebrain.v1 import game_pb2
        from cafebrain_cli.positions import to_json, write_text
        from cafebrain_cli.source import open_calls, set_in

        calls = open_calls(server, files)
        request = pb.NewGameRequest(
            game=game.id,
            players=players,
            component_set=game_pb2.ComponentSetRef(id=set_id or set_in(files, game.id)),
            options=options_given(game, given),
            seed=seed,
            stop_at_chance=stop_at_chance,
        )
        write_text(to_json(calls.new_game(request).state), out)

    function = setup_options(game, components_option(chance_options(out_option(server_option(run)))))
    summary = f"Set up {game.name} and print its first position as JSON."
    return click.command(name=game.id, short_help=game.name, help=summary)(function)
