"""Pictures that go with messages."""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponse

from campaigns.models import Game
from outbound.models import Delivery
from printing.pictures import games as game_picture

logger = logging.getLogger(__name__)


def picture_of(row: Delivery) -> bytes | None:
    """Return the picture of a message about a result, as spectators can save it; None for other
    messages, or if it cannot be drawn now: the text is more important."""
    key = row.content.get("picture", "")
    game = Game.objects.filter(pk=key).first() if key else None
    if game is None:
        return None
    game.campaign = row.hook.campaign
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    for side in sides:
        side.game = game
    try:
        response = game_picture.answer(HttpRequest(), game, sides, "wide")
    except Exception:
        logger.exception("The picture of a result cannot be drawn")
        return None
    if isinstance(response, HttpResponse) and response.status_code == 200:
        return response.content
    return None
