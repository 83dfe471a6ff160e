"""Draw the preview of a shared gang's link for chats: its name, its game, its worth, its faces."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from gangs.access import shared_gang_or_404
from gangs.models import Gang, GangView
from gangs.pages.sheet import describe_worth
from gangs.pictures import faces, storage
from gangs.text.formats import shown_name
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.values import MOST_FACES, Face, Preview


@login_not_required
@require_safe
def picture(request: HttpRequest, key: str) -> HttpResponseBase:
    """Return the picture, to any reader with the link."""
    gang = shared_gang_or_404(key)
    shown = (gang.pk, gang.version, gang.book_version_id, sorted(gang.pictures.items()))
    known_by = orders.key("preview", "gang", *shown, rules_language(), settings.SITE_NAME)
    return answers.answer(request, known_by, lambda: preview_of(gang))


def preview_of(gang: Gang) -> Preview:
    """Return the contents of the picture."""
    book = gang.book
    members = gang.roster.members[:MOST_FACES]
    return Preview(
        title=gang.name,
        above=book.title.translated(rules_language()),
        facts=describe_worth(gang),
        foot=settings.SITE_NAME,
        emblem=book.look.emblem,
        accent=book.look.accent.dark,
        badge=face_of(gang, None, faces.face_of_gang(str(gang.pk), gang.name)),
        faces=[
            face_of(
                gang,
                member.id,
                faces.face_of_member(str(gang.pk), member.id, shown_name(book, member)),
            )
            for member in members
        ],
    )


def face_of(
    gang: Gang | GangView, member: int | None, face: faces.Face, size: int = storage.LARGE
) -> Face:
    """Return the picture of a member, or the badge, with the letters that replace it."""
    name = storage.name_of(gang, member)
    picture = storage.file_name(name, size) if name else ""
    return Face(face.letters, faces.COLOURS[face.colour], picture)
