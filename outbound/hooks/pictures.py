"""Pictures that go with messages."""

from __future__ import annotations

import logging

from campaigns.models import Game
from common.background import TryLater, renew_lease
from outbound.models import Delivery
from printing import queue
from printing.pictures import games as game_picture

logger = logging.getLogger(__name__)


def picture_of(row: Delivery) -> bytes | None:
    """Return the picture of a message about a result, as spectators can save it; None for other
    messages, or if it cannot be drawn: the text is more important. Raises TryLater while the press
    has no time for it, so that no message goes without its picture, and LostLease."""
    key = row.content.get("picture", "")
    game = Game.objects.filter(pk=key).first() if key else None
    if game is None:
        return None
    game.campaign = row.hook.campaign
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    for side in sides:
        side.game = game
    try:
        picture = game_picture.for_message(game, sides)
    except (queue.Waiting, queue.Busy, queue.Unavailable) as error:
        raise TryLater(blocked=False) from error
    except Exception:
        logger.exception("The picture of a result cannot be drawn")
        picture = None
    # The press may have taken as long as a process has the job: only one of two may send it.
    renew_lease()
    return picture
