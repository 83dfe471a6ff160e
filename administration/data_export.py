"""The administration's part of a user's data: reports, hidden texts, acts and invitations."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.data_export import File, as_json
from accounts.models import SiteInvitation, User
from administration.models import Act, HiddenText, PageReport


def files_of(user: User) -> Iterator[File]:
    """Yield the user's reports and hidden texts and, for administrators, their acts and
    invitations."""
    reports = PageReport.objects.filter(reporter=user)
    yield File(
        "reports.json",
        as_json(list(reports.order_by("at").values("page", "title", "why", "words", "at"))),
    )
    hidden = HiddenText.objects.filter(author=user).values("about", "text", "reason", "at")
    yield File("hidden-texts.json", as_json(list(hidden)))
    acts = Act.objects.filter(by=user).order_by("at")
    invitations = SiteInvitation.objects.filter(made_by=user).order_by("made_at")
    if acts or invitations:
        told = {
            "acts": list(acts.values("kind", "subject", "subject_name", "reason", "at")),
            "invitations": list(invitations.values("note", "places", "used", "made_at", "ends_at")),
        }
        yield File("administration.json", as_json(told))
