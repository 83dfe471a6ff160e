"""Reads and maps uploads in a process of their own, so that nobody else waits for it.

``examine`` gives a page everything about catalogues, ``read_list`` the values of a list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rules.catalogues.bounds import LIST_MEMORY, LIST_SECONDS, READ_MEMORY, READ_SECONDS
from rules.catalogues.examining import (
    EXAMINED,
    ROSTER,
    Examined,
    File,
    pack_question,
    unpack_refusal,
)
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.results import Answers
from rules.catalogues.rosters import Roster
from rules.loading.apart import TooLarge, run_apart

# The module with ``guess_answers`` and ``make_game``. Only the process imports it.
MAPPING = "rules.catalogues.mapping"
PROGRAM = "rules.catalogues.examining"


def examine(
    files: Sequence[File],
    answers: Answers | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> Examined:
    """Read uploaded files of a game system and make a game of them.

    ``answers``: the author's; None for those that the mapping suggests. ``progress`` gets the name
    of each file before it is read. Raises BadCatalogue, and ``rules.loading.apart.Busy``.
    """
    said = answers.model_dump(mode="json") if answers is not None else None
    question = pack_question(files, answers=said, mapping=MAPPING)
    found = _ask("examine", question, READ_SECONDS, READ_MEMORY, progress)
    return EXAMINED.validate_json(found)


def read_list(name: str, content: bytes) -> Roster:
    """Read the uploaded file of a list. Raises BadCatalogue, and ``rules.loading.apart.Busy``."""
    question = pack_question([(name, content)])
    found = _ask("read_list", question, LIST_SECONDS, LIST_MEMORY, lambda line: None)
    return ROSTER.validate_json(found)


def _ask(
    function: str, question: bytes, seconds: int, memory: int, progress: Callable[[str], None]
) -> bytes:
    try:
        found = run_apart(
            f"{PROGRAM}:{function}", question, seconds=seconds, memory=memory, progress=progress
        )
    except TooLarge:
        raise BadCatalogue("too_hard") from None
    if (refused := unpack_refusal(found)) is not None:
        raise refused
    return found
