"""The brain's calls: request message in, answer message out. The gRPC service and the command line both call this."""
from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version

from cafebrain.errors import BrainError
from cafebrain.v1 import brain_service_pb2 as pb
from cafebrain.v1 import game_pb2
from cython_ext.game import CHANCE_POINT, GAME_OVER
from cython_ext.rng import Random
from engines.engine import Engine
from engines.library import Library
from solver.analysis import Analysis, Control, Limits, analysis_for
from solver.hints import hint_for
from solver.levels import LEVELS
from solver.positions import (
    Position,
    decode_choice,
    decode_state,
    encode_state,
    invalid,
    legal_move,
    set_info,
    to_move_text,
)
from solver.review import review_for
from solver.solving import Solving, Told, solving_for

REPORT_INTERVAL_MS = 500  # between two answers of Analyze or SolveSolo unless told otherwise
MIN_REPORT_INTERVAL_MS = 10
MAX_REPORT_INTERVAL_MS = 3_600_000

try:
    VERSION = package_version("cafebrain")
except PackageNotFoundError:
    VERSION = "0+unknown"


class Brain:
    """The calls of BrainService; each raises BrainError for a request it refuses. Thread-safe: keeps nothing."""

    def __init__(self, library: Library, limits: Limits | None = None) -> None:
        self.library = library
        self.limits = limits or Limits()

    def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """List games, options and component sets."""
        games = []
        for id_ in self.library.games():
            engine = self.library.engine(id_)
            games.append(
                pb.Game(
                    id=id_,
                    name=engine.name,
                    min_players=engine.min_players,
                    max_players=engine.max_players,
                    options=[
                        pb.GameOption(
                            name=option.name,
                            description=option.description,
                            values=option.values,
                            default_value=option.default,
                        )
                        for option in engine.options
                    ],
                    component_sets=[set_info(entry) for entry in self.library.entries(id_)],
                    engine_version=engine.version,
                )
            )
        return pb.ListGamesResponse(games=games, version=VERSION, levels=len(LEVELS))

    def get_components(self, request: pb.GetComponentsRequest) -> pb.GetComponentsResponse:
        """Return the contents of a component set."""
        ref = request.component_set
        entry = self.library.entry(request.game, ref.id, ref.hash, "component_set")
        message = game_pb2.Components()
        entry.engine.encode_components(entry.components, message)
        return pb.GetComponentsResponse(component_set=set_info(entry), components=message)

    def new_game(self, request: pb.NewGameRequest) -> pb.NewGameResponse:
        """Set up a game."""
        ref = request.component_set
        entry = self.library.entry(request.game, ref.id, ref.hash, "component_set")
        engine = entry.engine
        players = request.players or engine.min_players
        if not engine.min_players <= players <= engine.max_players:
            raise invalid(
                "players", players, f"{engine.name} is for {engine.min_players} to {engine.max_players} players"
            )
        random = Random(request.seed)
        state = engine.initial(entry.game, players, self._options(engine, request), random)
        position = Position(entry, state)
        if not request.stop_at_chance:
            _draw(position, random)
        return pb.NewGameResponse(state=encode_state(position))

    def get_moves(self, request: pb.GetMovesRequest) -> pb.GetMovesResponse:
        """List the legal moves or possible draws, the scores and the result."""
        position = decode_state(self.library, request.state)
        state = position.state
        response = pb.GetMovesResponse(to_move=to_move_text(state), player=max(0, state.to_move + 1))
        response.moves.extend(legal_move(position, code) for code in state.moves())
        response.moves.extend(legal_move(position, code, chance) for code, chance in state.outcomes())
        for player, items in enumerate(position.engine.score_items(state), 1):
            response.scores.append(
                pb.PlayerScore(
                    player=player,
                    total=sum(points for _, points in items),
                    items=[pb.ScoreItem(name=name, points=points) for name, points in items],
                )
            )
        if state.to_move == GAME_OVER:
            wins, scores = state.returns()
            for player, (win, score) in enumerate(zip(wins, scores, strict=True), 1):
                response.result.append(pb.PlayerResult(player=player, score=score, win_share=win))
        return response

    def show_board(self, request: pb.ShowBoardRequest) -> pb.ShowBoardResponse:
        """Draw the board as text, and as a picture where that is asked for."""
        position = decode_state(self.library, request.state)
        svg = position.engine.svg(position.state) if request.svg else ""
        return pb.ShowBoardResponse(text=position.engine.show(position.state), svg=svg)

    def apply_move(self, request: pb.ApplyMoveRequest) -> pb.ApplyMoveResponse:
        """Make a move or enter a draw, then sample the draws that follow unless told to stop there."""
        position = decode_state(self.library, request.state)
        state = position.state
        if state.to_move == GAME_OVER:
            raise BrainError("FAILED_PRECONDITION", "GAME_OVER", "state: the game is over, there is no move to make")
        response = pb.ApplyMoveResponse()
        random = Random(request.seed)
        if request.HasField("move"):
            state.apply(decode_choice(position, request.move, "move"))
        elif state.to_move == CHANCE_POINT:
            response.draws.extend(_draw(position, random, most=1))
        else:
            raise invalid("move", "nothing", f"must be given: {to_move_text(state)} is to move", "INVALID_MOVE")
        if not request.stop_at_chance:
            response.draws.extend(_draw(position, random))
        response.state.CopyFrom(encode_state(position))
        return response

    def suggest(self, request: pb.SuggestRequest, control: Control | None = None) -> pb.SuggestResponse:
        """Search a position.

        control: stops the search from another thread, and holds the caller's deadline.
        """
        analysis = self.analysis(request, control)
        analysis.run()
        return pb.SuggestResponse(suggestion=analysis.suggestion())

    def hint(self, request: pb.HintRequest, control: Control | None = None) -> pb.HintResponse:
        """Help a person with a graded hint."""
        return hint_for(
            decode_state(self.library, request.state), request, control or Control(), self.limits, VERSION
        )

    def review_game(
        self, request: pb.ReviewGameRequest, control: Control | None = None
    ) -> Iterator[pb.ReviewGameResponse]:
        """Review a recorded game and yield one answer per step, then the summary.

        The record is checked before the first answer is asked for.
        """
        position = decode_state(self.library, request.state)
        return review_for(position, request, control or Control(), self.limits, VERSION)

    def analyze(self, request: pb.AnalyzeRequest, control: Control | None = None) -> Iterator[pb.AnalyzeResponse]:
        """Search a position and yield improving answers, the last one marked final.

        The request is checked before the first answer is asked for.
        """
        interval = report_seconds(request)
        try:
            analysis = self.analysis(request.suggest, control)
        except BrainError as error:
            raise error.under("suggest") from error

        def answers() -> Iterator[pb.AnalyzeResponse]:
            while not analysis.run(interval):
                yield pb.AnalyzeResponse(suggestion=analysis.suggestion())
            yield pb.AnalyzeResponse(suggestion=analysis.suggestion(), is_final=True)

        return answers()

    def analysis(self, request: pb.SuggestRequest, control: Control | None = None) -> Analysis:
        """Check a request and set up its search, to be run by the caller."""
        position = decode_state(self.library, request.state)
        return analysis_for(position, request, control or Control(), self.limits, VERSION)

    def solve_solo(
        self, request: pb.SolveSoloRequest, control: Control | None = None
    ) -> Iterator[pb.SolveSoloResponse]:
        """Solve a puzzle for one player and yield improving answers, the last one marked final.

        The request is checked before the first answer is asked for.
        """
        interval = report_seconds(request)
        try:
            solving = self.solving(request.task, control)
        except BrainError as error:
            raise error.under("task") from error

        def answers() -> Iterator[pb.SolveSoloResponse]:
            told = Told()
            while not solving.run(interval):
                yield told.progress(solving.solution(request.timing))
            yield pb.SolveSoloResponse(solution=solving.solution(request.timing), is_final=True)

        return answers()

    def solving(
        self,
        task: pb.SoloTask,
        control: Control | None = None,
        limits: Limits | None = None,
        earlier: pb.Solution | None = None,
    ) -> Solving:
        """Check a task and set up its search, to be run by the caller.

        limits: instead of the brain's own. earlier: what was found before an interruption.
        """
        position = decode_state(self.library, task.state)
        return solving_for(position, task, control or Control(), limits or self.limits, VERSION, earlier)

    @staticmethod
    def _options(engine: Engine, request: pb.NewGameRequest) -> dict[str, str]:
        known = {option.name: option for option in engine.options}
        for name, value in request.options.items():
            field = f"options[{name[:40]}]"
            if name not in known:
                raise invalid(field, value, f"unknown option of {engine.id}; known: {', '.join(known) or 'none'}")
            if value not in known[name].values:
                raise invalid(field, value, f"must be one of {', '.join(known[name].values)}")
        return {name: request.options.get(name, option.default) for name, option in known.items()}


def report_seconds(request: pb.AnalyzeRequest | pb.SolveSoloRequest) -> float:
    """Return the time between two answers.

    Raises BrainError INVALID_ARGUMENT where it is out of range.
    """
    interval = request.report_interval_ms or REPORT_INTERVAL_MS
    if not MIN_REPORT_INTERVAL_MS <= interval <= MAX_REPORT_INTERVAL_MS:
        raise invalid("report_interval_ms", interval, f"{MIN_REPORT_INTERVAL_MS} to {MAX_REPORT_INTERVAL_MS}")
    return interval / 1000


def _draw(position: Position, random: Random, most: int | None = None) -> list[pb.LegalMove]:
    """Sample draws, at most `most`, until a player is to move or the game is over; return them."""
    draws: list[pb.LegalMove] = []
    state = position.state
    while state.to_move == CHANCE_POINT and (most is None or len(draws) < most):
        code = state.sample(random)
        draws.append(legal_move(position, code, dict(state.outcomes())[code]))
        state.apply(code)
    return draws
