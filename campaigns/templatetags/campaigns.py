"""Template helpers of campaigns: why something is refused, what dice are for."""

from __future__ import annotations

from django import template

from campaigns.refusals import refusal_sentence
from campaigns.table.crews.text import chance_terms
from common.errors import Refusal

register = template.Library()
register.filter("chance_terms", chance_terms)


@register.filter
def reason(refusal: Refusal | None) -> str:
    """Why something cannot be had; "" if it can."""
    return refusal_sentence(refusal) if refusal else ""
