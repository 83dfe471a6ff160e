"""What the pages of attempts share: who asks, what is told, and where that leads."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.http import actor
from campaigns.table import storage
from campaigns.table.attempts.effects import Who
from campaigns.table.board import Board
from campaigns.table.pages import table_page
from campaigns.table.taps import AnyTap
from common.forms import number


def act_of(request: HttpRequest, board: Board) -> uuid.UUID:
    """The act that a form is: the same form twice is one."""
    return uuid.uuid5(board.table.pk, f"act {request.POST.get('token', '')}")


def say(
    request: HttpRequest, board: Board, taps: Sequence[AnyTap], act: uuid.UUID, seen: int = 0
) -> None:
    """Tell the table; ``seen``: so many taps of the act the form had seen. Raises Refusal."""
    if taps:
        storage.say(
            board.table,
            actor(request),
            board.seat.device,
            taps,
            act=act,
            after=number(request.POST.get("after")) or 0,
            turn=number(request.POST.get("turn")) or 1,
            seen=seen,
        )


def to_dice(board: Board, act: uuid.UUID) -> HttpResponse:
    """To the dice of an attempt."""
    return redirect("campaigns:table-dice", board.table.pk, act)


def home(board: Board, who: Who) -> str:
    """The page of a figure, or of the table for a side."""
    if isinstance(who, str):
        return reverse("campaigns:table-figure", args=[board.table.pk, who])
    return board.table.get_absolute_url()


def common(board: Board) -> dict[str, Any]:
    """What every page of an attempt shows."""
    return {
        "table": board.table,
        "book": board.book,
        "seat": board.seat,
        "now": board.now,
        "token": uuid.uuid4(),
        "title": table_page.title(board),
    }
