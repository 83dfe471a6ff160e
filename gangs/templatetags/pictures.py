"""Portraits and badges on pages: small, of a fixed size, and fetched when they come into sight."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.models import Gang, GangView
from gangs.pictures.storage import LARGE, SMALL, name_of

register = template.Library()
Pictured = Gang | GangView
# How large each is shown; screens have more pixels than pages count.
SHOWN = {SMALL: 48, LARGE: 160}


@register.simple_tag(takes_context=True)
def portrait(
    context: dict[str, Any], member: int, name: str, of: str = "", *, large: bool = False
) -> SafeString | str:
    """The portrait of a member, nothing if there is none.

    The gang is the page's; on a page with several (``pictured``, by key) ``of`` says whose they
    are. A page that somebody reads by its link says so (``shared_by``).
    """
    gang: Pictured | None = context.get("pictured", {}).get(of) if of else context.get("gang")
    return portrait_of(gang, member, name, context.get("shared_by", ""), large=large)


def portrait_of(
    gang: Pictured | None, member: int, name: str, key: str = "", *, large: bool = False
) -> SafeString | str:
    """The portrait of one of the gang's members, if there is one; ``key``: as of ``address``."""
    if gang is None or not (picture := name_of(gang, member)):
        return ""
    alt = _("Portrait of %(name)s") % {"name": name}
    return _image(gang, picture, alt, key, large=large)


@register.simple_tag(takes_context=True)
def badge(context: dict[str, Any], gang: Pictured, *, large: bool = False) -> SafeString | str:
    """The badge of a gang, nothing if there is none."""
    if not (picture := name_of(gang, None)):
        return ""
    alt = _("Badge of %(name)s") % {"name": gang.name}
    return _image(gang, picture, alt, context.get("shared_by", ""), large=large)


def _image(gang: Pictured, picture: str, alt: str, key: str, *, large: bool) -> SafeString:
    size = LARGE if large else SMALL
    return format_html(
        '<img class="portrait" src="{}" width="{}" height="{}" alt="{}" loading="lazy"'
        ' decoding="async">',
        address(gang, picture, size, key),
        SHOWN[size],
        SHOWN[size],
        alt,
    )


def address(gang: Pictured, picture: str, size: int, key: str = "") -> str:
    """Where one of the gang's pictures is found: by those who may see the gang, or by those who
    have the ``key`` of its link."""
    if key:
        return reverse("gangs:shared-picture", args=[key, size, picture])
    return reverse("gangs:picture", args=[gang.pk, size, picture])
