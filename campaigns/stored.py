"""What a campaign's rows keep as JSON, read so that one that is spoiled spoils no page.

Files of other sites have brought what nobody could have typed, before they were read strictly. What
cannot be read is logged and left out; whoever shows the rest says so.
"""

from __future__ import annotations

import logging

from django.db.models import Model
from pydantic import ValidationError

from rules.book.vocabulary import Frozen
from rules.engine.dice import DiceRoll

logger = logging.getLogger(__name__)


def sound[T: Frozen](kind: type[T], row: Model, column: str) -> T | None:
    """What a column of a row keeps; None if that is no such thing, or if dice in it show what dice
    cannot."""
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
