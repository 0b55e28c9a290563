"""The `cafebrain` command: finds the subcommand, turns every error into one message and an exit code."""
from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from cafebrain_cli.exits import FAULT, INTERRUPTED, REFUSED, UNREACHABLE, USAGE
from cafebrain_cli.params import examples

if TYPE_CHECKING:
    from cafebrain.errors import BrainError

EXIT_CODES = """

\b
Environment, for --server:
  CAFEBRAIN_TOKEN     token to call with
  CAFEBRAIN_TLS_CA    authority to trust (PEM file); implies --tls
  CAFEBRAIN_TLS_CERT  certificate to show (PEM file)
  CAFEBRAIN_TLS_KEY   its key (PEM file)

\b
Exit codes:
  0    done
  1    refused: faulty file, impossible position, illegal move; broken pipe
  2    wrong usage
  3    the server cannot be reached, or the cluster not used
  70   a fault in cafebrain itself
  130  interrupted"""


class Listed(NamedTuple):
    """A subcommand that is imported only when it runs, so that --help and completion stay fast."""

    module: str
    attribute: str
    summary: str


COMMANDS = {
    "games": Listed("cafebrain_cli.game", "games", "List the games, their options and component sets."),
    "new": Listed("cafebrain_cli.new", "new", "Set up a game."),
    "show": Listed("cafebrain_cli.game", "show", "Draw the board of a position."),
    "moves": Listed("cafebrain_cli.game", "moves", "List legal moves or possible draws, scores and the result."),
    "apply": Listed("cafebrain_cli.game", "apply", "Make a move or enter a draw."),
    "suggest": Listed("cafebrain_cli.search", "suggest", "Search a position for its best moves."),
    "play": Listed("cafebrain_cli.play", "play", "Play against the brain."),
    "hint": Listed("cafebrain_cli.hint", "hint", "Help a person with a graded hint."),
    "review": Listed("cafebrain_cli.review", "review", "Review a recorded game."),
    "arena": Listed("cafebrain_cli.arena", "arena", "Let two players play a match and measure their strength."),
    "solve": Listed("cafebrain_cli.solve", "solve", "Find the best score of a puzzle."),
    "components": Listed("cafebrain_cli.components", "components", "Check and show component sets."),
    "bench": Listed("cafebrain_cli.bench", "bench", "Measure speed and memory."),
    "token": Listed("cafebrain_cli.token", "token", "Make a token for a server."),
    "health": Listed("cafebrain_cli.health", "health", "Ask a server whether it serves."),
    "serve": Listed("server", "serve", "Serve the brain over gRPC."),
}


class App(click.Group):
    """The group of all subcommands, and the one place that reports errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand."""
        listed = COMMANDS.get(cmd_name)
        if listed is None:
            return None
        command = getattr(import_module(listed.module), listed.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.summary) for name, listed in COMMANDS.items()])

    def main(self, *args: Any, standalone_mode: bool = True, **kwargs: Any) -> Any:
        """Run a command line; unless told not to, report its error and exit."""
        if not standalone_mode:
            return self._run(*args, **kwargs)
        try:
            result = self._run(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            sys.exit(REFUSED)
        except (click.Abort, KeyboardInterrupt):
            _fail("interrupted", INTERRUPTED)
        except click.ClickException as error:
            _report(error)
        except OSError as error:
            _drop_output()
            _fail(f"{error.filename or 'standard output'}: {error.strerror or error}", REFUSED)
        except Exception as error:
            from cafebrain.errors import BrainError  # only now: help and usage errors do without the whole package

            if isinstance(error, BrainError):
                _fail(_refusal(error), UNREACHABLE if error.code == "UNAVAILABLE" else REFUSED)
            if os.environ.get("CAFEBRAIN_TRACEBACK"):
                raise
            what = f"{type(error).__name__}: {error}"
            _fail(f"fault in cafebrain, please report it (CAFEBRAIN_TRACEBACK=1 shows where): {what}", FAULT)
        sys.exit(result if isinstance(result, int) else 0)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False  # errors come out as exceptions
        return super().main(*args, **kwargs)


def _refusal(error: BrainError) -> str:
    """Return the message, then each faulty field on a line unless the message tells it already."""
    lines = [error.message]
    if len(error.violations) > 1 or any(violation.reason not in error.message for violation in error.violations):
        lines += [f"  {violation}" for violation in error.violations]
    return "\n".join(lines)


def _report(error: click.ClickException) -> NoReturn:
    message = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(message, err=True)  # the help of a group called without a subcommand
        sys.exit(USAGE)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        message += f"\n{error.ctx.get_usage()}\nSee '{error.ctx.command_path} --help'."
    _fail(message, error.exit_code)


def _fail(message: str, code: int) -> NoReturn:
    """Print an error and exit. It may repeat parts of a file, so control characters are made visible."""
    shown = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in message)
    click.echo(f"error: {shown}", err=True)
    sys.exit(code)


def _drop_output() -> None:
    """Send what is still buffered nowhere: flushing it at exit would fail once more."""
    with suppress(OSError):  # an output that is no file has nothing to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from solver.brain import VERSION

        click.echo(f"cafebrain {VERSION}")
        ctx.exit()


@click.group(
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "cafebrain games",
        "cafebrain new connect_four | cafebrain suggest - --time 200ms",
        "cafebrain new connect_four --out game.json",
        "cafebrain moves game.json",
        "cafebrain apply game.json 3 --out game.json",
    )
    + EXIT_CODES,
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def cli() -> None:
    """Ask a game brain: set up games, list and make moves, get the best ones suggested.

    Positions are JSON, in files or in pipes: "-" reads one from standard input. Commands compute in this process, or
    on a server with --server HOST:PORT.
    """


def main() -> None:
    """Run the command line of this process."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        elif mode == "w":
            getattr(sys, name).reconfigure(errors="backslashreplace")  # no failure where the terminal lacks a letter
    cli(prog_name="cafebrain")
