"""Portraits and badges on pages: small, of a fixed size, and loaded when they come into view.

Members and gangs without a picture have a face (``gangs.pictures.faces``).
"""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.models import Gang, GangView
from gangs.pictures.faces import Face, face_of_gang, face_of_member
from gangs.pictures.storage import LARGE, SMALL, name_of

register = template.Library()
Pictured = Gang | GangView
# The sizes on the page in CSS pixels; screens have more pixels.
SHOWN = {SMALL: 48, LARGE: 160}


@register.simple_tag(takes_context=True)
def portrait(
    context: dict[str, Any], member: int, name: str, of: str = "", *, large: bool = False
) -> SafeString:
    """The portrait of a member, or their face.

    The gang is the page's ``gang``; on a page with several (``pictured``, by key) ``of`` names it.
    A page read by its shared link has ``shared_by`` in its context. On a page with distinct
    ``colours``, the face has the colour of its gang's badge.
    """
    gang: Pictured | None = context.get("pictured", {}).get(of) if of else context.get("gang")
    if gang is not None and (not of or name_of(gang, member)):
        return portrait_of(gang, member, name, context.get("shared_by", ""), large=large)
    face = face_of_member(of, member, name)
    colour = context.get("colours", {}).get(of, face.colour)
    return _face(face._replace(colour=colour), "is-member", large=large)


def portrait_of(
    gang: Pictured, member: int, name: str, key: str = "", *, large: bool = False
) -> SafeString:
    """The portrait of one of the gang's members, or their face; ``key``: as for ``address``."""
    if not (picture := name_of(gang, member)):
        return _face(face_of_member(str(gang.pk), member, name), "is-member", large=large)
    alt = _("Portrait of %(name)s") % {"name": name}
    return _image(gang, picture, alt, key, large=large)


@register.simple_tag(takes_context=True)
def badge(
    context: dict[str, Any],
    gang: Pictured | None,
    name: str = "",
    key: str = "",
    *,
    large: bool = False,
) -> SafeString:
    """The badge of a gang, or its face. A deleted gang is given by its ``name`` and its ``key``
    (``SeasonSide.who``). A page of several gangs may have distinct ``colours`` in its context, by
    key."""
    if gang is None or not (picture := name_of(gang, None)):
        key = str(gang.pk) if gang else key or f"name:{name}"
        face = face_of_gang(key, gang.name if gang else name)
        face = face._replace(colour=context.get("colours", {}).get(key, face.colour))
        return _face(face, "is-gang", large=large)
    alt = _("Badge of %(name)s") % {"name": gang.name}
    return _image(gang, picture, alt, context.get("shared_by", ""), large=large)


def _face(face: Face, whose: str, *, large: bool) -> SafeString:
    """A face, hidden from screen readers, since the name is beside it."""
    return format_html(
        '<span class="face {} hue-{} grain-{}{}" aria-hidden="true">{}</span>',
        whose,
        face.colour,
        face.pattern,
        " is-large" if large else "",
        face.letters,
    )


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
    """The address of one of the gang's pictures, for readers who may see the gang, or for those
    with the ``key`` of its shared link."""
    if key:
        return reverse("gangs:shared-picture", args=[key, size, picture])
    return reverse("gangs:picture", args=[gang.pk, size, picture])
