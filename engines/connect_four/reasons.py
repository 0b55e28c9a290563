"""What speaks for and against a move in Connect Four.

Kinds: wins, blocks, lets_win, two_threats, threat, middle.
"""
from __future__ import annotations

from engines.advice import Question, Reason
from engines.connect_four.rules import COLUMN_COUNT, ROW_COUNT
from engines.words import Text, count, joined, name, say

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
MIDDLE = COLUMN_COUNT // 2


def wins_in(columns: list[str], disc: str) -> list[int]:
    """Return the columns in which dropping a disc completes four in a row."""
    return [
        column for column in range(COLUMN_COUNT)
        if len(columns[column]) < ROW_COUNT and _four(columns, column, disc)
    ]


def dropped(columns: list[str], column: int, disc: str) -> list[str]:
    """Return the columns after a disc was dropped."""
    return [content + disc if index == column else content for index, content in enumerate(columns)]


def nudge(columns: list[str], column: int, player: int) -> Text:
    """Return where to look."""
    mine, theirs = str(player + 1), str(2 - player)
    if wins_in(columns, mine):
        return say("There is a four in a row to be had.")
    if wins_in(columns, theirs):
        return say("Look at what your opponent threatens.")
    side = (column > MIDDLE) - (column < MIDDLE)
    return (say("Look at the middle."), say("Look at the right side."), say("Look at the left side."))[side]


def idea(columns: list[str], column: int, player: int) -> Text:
    """Return what kind of move it is."""
    mine, theirs = str(player + 1), str(2 - player)
    if column in wins_in(columns, mine):
        return say("Complete four in a row.")
    if column in wins_in(columns, theirs):
        return say("Block your opponent.")
    threats = wins_in(dropped(columns, column, mine), mine)
    return say("Make a threat.") if threats else say("Build quietly.")


def reasons(columns: list[str], question: Question) -> list[Reason]:
    """Return what the board shows of a move."""
    column = question.choice.move
    mine, theirs = str(question.player + 1), str(2 - question.player)
    if column in wins_in(columns, mine):
        return [Reason("wins", say("Completes four in a row and wins."), 10)]
    found = []
    rival = 2 - question.player
    if column in wins_in(columns, theirs):
        found.append(Reason("blocks", say("Stops player {player}'s four in a row.", player=rival), 9))
    after = dropped(columns, column, mine)
    answers = wins_in(after, theirs)
    if answers:
        text = say("But it lets player {player} win in {columns}.", player=rival, columns=_columns(answers))
        found.append(Reason("lets_win", text, 9.5))
    threats = wins_in(after, mine)
    if len(threats) > 1:
        text = say("Threatens to win in {columns}; only one can be stopped.", columns=_columns(threats))
        found.append(Reason("two_threats", text, 5))
    elif threats:
        text = say("Threatens to win in {columns}, which must be answered.", columns=_columns(threats))
        found.append(Reason("threat", text, 2))
    if column == MIDDLE:
        found.append(Reason("middle", say("Takes a place in the middle, where most lines pass."), 0.5))
    return found


def _columns(columns: list[int]) -> Text:
    numbers = joined([name(str(column + 1)) for column in columns])
    return count("column {list}", "columns {list}", len(columns), list=numbers)


def _four(columns: list[str], column: int, disc: str) -> bool:
    row = len(columns[column])
    for across, up in DIRECTIONS:
        line = 1
        for sign in (1, -1):
            x, y = column + sign * across, row + sign * up
            while 0 <= x < COLUMN_COUNT and 0 <= y < len(columns[x]) and columns[x][y] == disc:
                line += 1
                x, y = x + sign * across, y + sign * up
        if line >= 4:
            return True
    return False
