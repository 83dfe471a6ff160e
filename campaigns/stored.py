"""Tolerant reading of JSON columns, so that an invalid row does not break a page.

Files from other sites, imported before the import was strict, have left values that no form would
accept. Unreadable values are logged and left out; pages that show the rest mention it.
"""

from __future__ import annotations

import logging

from django.db.models import Model
from pydantic import ValidationError

from rules.book.vocabulary import Frozen
from rules.engine.dice import DiceRoll

logger = logging.getLogger(__name__)


def sound[T: Frozen](kind: type[T], row: Model, column: str) -> T | None:
    """The value of a row's column; None if it is invalid or contains impossible dice."""
    try:
        value = kind.model_validate(getattr(row, column))
    except ValidationError as error:
        logger.warning(
            "%s %s: %s cannot be read, %s mistakes",
            row._meta.label, row.pk, column, error.error_count(),
        )  # fmt: skip
        return None
    rolls = [value] if isinstance(value, DiceRoll) else getattr(value, "rolls", {}).values()
    if all(roll.is_possible for roll in rolls):
        return value
    logger.warning("%s %s: impossible dice in %s", row._meta.label, row.pk, column)
    return None
