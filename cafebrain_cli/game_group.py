"""Command groups with one subcommand per game, which has the options that the game declares."""
from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any

import click

from cafebrain_cli.params import address

if TYPE_CHECKING:
    from cafebrain.v1 import brain_service_pb2 as pb

SERVER, GAMES = f"{__name__}.server", f"{__name__}.games"  # keys of what a command line has found out


class GameGroup(click.Group):
    """Has a subcommand for every game of this process, or of the server named in the arguments.

    A subclass says what the subcommand of a game is.
    """

    def command_of(self, game: pb.Game) -> click.Command:
        """Return the subcommand of a game."""
        raise NotImplementedError

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
        return [game.id for game in self.games(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of a game."""
        return next((self.command_of(game) for game in self.games(ctx) if game.id == cmd_name), None)

    def games(self, ctx: click.Context) -> Sequence[pb.Game]:
        """Return the games that have a subcommand: all."""
        from cafebrain.v1 import brain_service_pb2 as pb
        from cafebrain_cli.source import open_calls

        if GAMES not in ctx.meta:
            ctx.meta[GAMES] = open_calls(ctx.meta.get(SERVER)).list_games(pb.ListGamesRequest()).games
        games: Sequence[pb.Game] = ctx.meta[GAMES]
        return games


def setup_options(game: pb.Game, function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --players, the game's own options and --set; `options_given` reads the game's own."""
    function = own_options(game, function)
    return click.option(
        "--players",
        type=click.IntRange(game.min_players, game.max_players),
        default=game.min_players,
        show_default=True,
        metavar="N",
        help="Number of players.",
    )(function)


def own_options(game: pb.Game, function: Callable[..., Any], fixed: Container[str] = ()) -> Callable[..., Any]:
    """Add the game's own options, but for those that are `fixed`, and --set."""
    function = click.option("--set", "set_id", metavar="ID", help=f"Component set: {_sets_text(game)}.")(function)
    for key, option in reversed(list(enumerate(game.options))):
        if option.name not in fixed:
            function = _game_option(f"option_{key}", option)(function)
    return function


def options_given(game: pb.Game, given: dict[str, str | bool | None]) -> dict[str, str]:
    """Return the game's own options that were given, as the wire wants them."""
    named = ((option.name, given.get(f"option_{key}")) for key, option in enumerate(game.options))
    return {name: _wire(value) for name, value in named if value is not None}


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
