"""The command new: one subcommand per game, with the options that the game declares."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cafebrain_cli.params import address, chance_options, components_option, examples, out_option, server_option

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

SERVER, GAMES = f"{__name__}.server", f"{__name__}.games"  # keys of what a command line has found out


class NewGroup(click.Group):
    """Has a subcommand for every game of this process, or of the server named in the arguments."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the game's subcommand; the server that decides which options it has stands behind it."""
        ctx.meta[SERVER] = _server_in(args)
        known = self.list_commands(ctx)
        if args[0] not in known:
            ctx.fail(f"unknown game {args[0]!r}; known: {', '.join(known)}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the ids of the games."""
        return [game.id for game in self._games(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of a game."""
        return next((_command(game) for game in self._games(ctx) if game.id == cmd_name), None)

    def _games(self, ctx: click.Context) -> Sequence[pb.Game]:
        from cafebrain.v1 import brain_service_pb2 as pb
        from cafebrain_cli.source import open_calls

        if GAMES not in ctx.meta:
            ctx.meta[GAMES] = open_calls(ctx.meta.get(SERVER)).list_games(pb.ListGamesRequest()).games
        games: Sequence[pb.Game] = ctx.meta[GAMES]
        return games


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


def _server_in(args: list[str]) -> str | None:
    """Return the value of --server, which is needed before the arguments can be parsed; None where it is faulty."""
    for index, arg in enumerate(args):
        name, equals, value = arg.partition("=")
        if name == "--server":
            try:
                return address(value if equals else "".join(args[index + 1 : index + 2]))
            except click.BadParameter:
                return None  # parsing the arguments reports it
    return None


def _command(game: pb.Game) -> click.Command:
    """Return the subcommand that sets up a game."""
    names = {f"option_{index}": option.name for index, option in enumerate(game.options)}

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

        options = {names[key]: _wire(value) for key, value in given.items() if value is not None}
        calls = open_calls(server, files)
        request = pb.NewGameRequest(
            game=game.id,
            players=players,
            component_set=game_pb2.ComponentSetRef(id=set_id or set_in(files, game.id)),
            options=options,
            seed=seed,
            stop_at_chance=stop_at_chance,
        )
        write_text(to_json(calls.new_game(request).state), out)

    function = components_option(chance_options(out_option(server_option(run))))
    function = click.option("--set", "set_id", metavar="ID", help=f"Component set: {_sets_text(game)}.")(function)
    for key, option in reversed(list(zip(names, game.options, strict=True))):
        function = _game_option(key, option)(function)
    function = click.option(
        "--players",
        type=click.IntRange(game.min_players, game.max_players),
        default=game.min_players,
        show_default=True,
        metavar="N",
        help="Number of players.",
    )(function)
    summary = f"Set up {game.name} and print its first position as JSON."
    return click.command(name=game.id, short_help=game.name, help=summary)(function)


def _game_option(key: str, option: pb.GameOption) -> Any:
    """Return the decorator of one of a game's own options; it is None where it is not given."""
    flag = "--" + option.name.replace("_", "-")
    text = option.description.rstrip(".")
    if tuple(option.values) == ("false", "true"):
        if option.default_value == "true":
            flag += "/--no-" + option.name.replace("_", "-")
        return click.option(flag, key, is_flag=True, default=None, help=f"{text}; default {_on(option)}.")
    choice = click.Choice(list(option.values))
    return click.option(flag, key, type=choice, help=f"{text}; default {option.default_value}.")


def _on(option: pb.GameOption) -> str:
    return "on" if option.default_value == "true" else "off"


def _wire(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _sets_text(game: pb.Game) -> str:
    return ", ".join(item.ref.id + (" (default)" if item.is_default else "") for item in game.component_sets)
