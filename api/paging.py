"""Pages of a list: each is read by the place of the row before it, so new rows move nothing."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from ninja import Schema
from ninja.pagination import PaginationBase, paginate
from pydantic import Field, PlainValidator, WithJsonSchema

# The lengths of a page, and the usual one.
MOST, USUAL = 100, 50
# More than any cursor has.
LONGEST = 200


@dataclass(frozen=True)
class Cursor:
    """A place in a list, the newest row first: after the row with this time and key, or before it
    (``is_before``)."""

    is_before: bool
    moment: datetime
    key: uuid.UUID

    @property
    def text(self) -> str:
        """The cursor as an address carries it."""
        side = "before" if self.is_before else "after"
        plain = f"{side} {self.moment.isoformat()} {self.key}"
        return base64.urlsafe_b64encode(plain.encode()).decode()


def read_cursor(text: object) -> Cursor | None:
    """The cursor of a text that ``Cursor.text`` has made; None for "". Raises ValueError for any
    other text."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise ValueError("too long")
    if not text:
        return None
    plain = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True).decode("ascii")
    side, moment, key = plain.split(" ")
    if side not in ("after", "before"):
        raise ValueError("an unknown side")
    read = datetime.fromisoformat(moment)
    if read.tzinfo is None:
        raise ValueError("no time zone")
    try:
        return Cursor(side == "before", read.astimezone(UTC), uuid.UUID(key))
    except OverflowError:
        raise ValueError("beyond the calendar") from None


class NewestFirst(PaginationBase):
    """Reads a list in pages, ordered by a column with times and then by the key.

    Each page has the addresses of the pages beside it (None at the ends).
    """

    items_attribute = "results"

    class Input(Schema):
        """The parameters of a list."""

        page_size: Annotated[int, Field(ge=1)] = USUAL
        cursor: Annotated[
            Cursor | None, PlainValidator(read_cursor), WithJsonSchema({"type": "string"})
        ] = None

    class Output(Schema):
        """A page of a list."""

        previous: str | None
        next: str | None
        results: list[Any]

    def __init__(self, *, column: str, **more: Any) -> None:
        super().__init__(**more)
        self.column = column

    def paginate_queryset(
        self, queryset: QuerySet[Any], pagination: Any, request: HttpRequest, **_params: Any
    ) -> dict[str, Any]:
        """Return a page. One query."""
        cursor: Cursor | None = pagination.cursor
        size = min(pagination.page_size, MOST)
        backwards = cursor is not None and cursor.is_before
        sign = "" if backwards else "-"
        found = queryset.order_by(f"{sign}{self.column}", f"{sign}pk")
        if cursor is not None:
            found = found.filter(self._beyond(cursor, "gt" if backwards else "lt"))
        rows = list(found[: size + 1])
        has_more, rows = len(rows) > size, rows[:size]
        if backwards:
            rows.reverse()
        # The row of a cursor is on the page that it came from.
        has_previous = has_more if backwards else cursor is not None
        has_next = has_more or backwards
        return {
            "previous": self._address(request, rows[:1], True) if has_previous else None,
            "next": self._address(request, rows[-1:], False) if has_next else None,
            "results": rows,
        }

    def _beyond(self, cursor: Cursor, comparison: str) -> Q:
        return Q((f"{self.column}__{comparison}", cursor.moment)) | Q(
            (self.column, cursor.moment), (f"pk__{comparison}", cursor.key)
        )

    def _address(self, request: HttpRequest, row: list[Any], is_before: bool) -> str | None:
        """The present address with the cursor of a row; None without one."""
        query = request.GET.copy()
        for found in row:
            moment = getattr(found, self.column).astimezone(UTC)
            query["cursor"] = Cursor(is_before, moment, found.pk).text
        return request.build_absolute_uri(f"{request.path}?{query.urlencode()}") if row else None


def pages[**P, R](column: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate an operation that returns a queryset: it is read in pages, ordered by a column with
    times, the newest first."""
    made: Callable[[Callable[P, R]], Callable[P, R]] = paginate(NewestFirst, column=column)
    return made
