"""The checklist of a new gang as lines of text, each task with the label of its button."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.wording.sentences import Label
from common.wording.sentences import gettext_noop as _
from common.wording.texts import in_language
from gangs.engine.checklist import Kind, Task
from gangs.engine.roster import Roster
from rules.book.limits import HoldingsLimit, ItemsLimit
from rules.book.model import Book
from rules.book.vocabulary import Text

# Names of tasks and labels of their buttons, unless the rulebook has its own.
TASKS: dict[Kind, Label] = {
    "recruit": _("Members"),
    "trait": _("Traits"),
    "profession": _("Professions"),
    "points": _("Points to assign"),
    "learn": _("Traits"),
    "skills": _("Traits"),
    "items": _("Gear"),
    "gear": _("Gear"),
    "holding": _("Holdings"),
    "name": _("Names"),
}
ACTS: dict[Kind, Label] = {
    "recruit": _("Recruit"),
    "trait": _("Choose one"),
    "profession": _("Choose"),
    "points": _("Spread all evenly"),
    "learn": _("Choose one"),
    "skills": _("Choose one"),
    "items": _("Equip"),
    "gear": _("Equip"),
    "holding": _("Choose one"),
    "name": _("Name them"),
}
UNNAMED = _("No name yet")
# Tasks that each member concerned has to do.
OF_ONE: tuple[Kind, ...] = ("profession", "learn", "items", "name")


@dataclass(frozen=True)
class TaskLine:
    """One task. ``have`` of ``need`` are done; ``act``: the label of its button; ``rank``: the key
    of the rank to recruit; ``trait``: of the trait to take; ``members``: ids and names of the
    members whom it concerns, or who could do it; ``is_stuck``: it cannot be done until something
    is undone."""

    kind: Kind
    text: str
    have: int
    need: int
    act: str
    rank: str
    trait: str
    members: tuple[tuple[int, str], ...]
    is_stuck: bool = False

    @property
    def done(self) -> bool:
        """Whether the task is completed."""
        return self.have >= self.need

    @property
    def doable(self) -> bool:
        """Whether the task has a button: tasks to recruit, of holdings and of members have one."""
        return self.kind in ("recruit", "holding") or bool(self.members)


def lines(found: Iterable[Task], book: Book, roster: Roster, language: str) -> tuple[TaskLine, ...]:
    """The tasks in ``language``."""

    def name(member: int) -> str:
        return str(in_language(roster.member(member).name_or_rank(book), language))

    return tuple(
        TaskLine(
            kind=task.kind,
            text=(task.limit.task or _name_task(task, book)).translated(language),
            have=task.have,
            need=task.need,
            act=(task.limit.act or ACTS[task.kind]).translated(language),
            rank=task.ranks[0] if task.ranks else "",
            trait=task.trait or "",
            members=tuple((member, name(member)) for member in task.members),
            is_stuck=task.is_stuck,
        )
        for task in found
    )


def of_member(found: Iterable[TaskLine], member: int, language: str) -> tuple[str, ...]:
    """The tasks of one member in a few words, without points to spread, which their card shows."""
    return tuple(
        UNNAMED.translated(language) if task.kind == "name" else task.act
        for task in found
        if task.kind in OF_ONE and any(number == member for number, _name in task.members)
    )


def _name_task(task: Task, book: Book) -> Text | Label:
    """The name of a task: the name of its rank, trait or group of items, or else its usual one."""
    if task.ranks:
        return book.rank[task.ranks[0]].name
    if task.trait:
        return book.trait[task.trait].name
    if task.kind in ("learn", "skills") and book.traits_name:
        return book.traits_name
    if isinstance(task.limit, HoldingsLimit) and task.limit.holdings:
        return book.holding[task.limit.holdings[0]].name
    if task.kind == "profession" and book.profession_name:
        return book.profession_name
    if isinstance(task.limit, ItemsLimit) and task.limit.groups:
        return book.group[task.limit.groups[0]].name
    return TASKS[task.kind]
