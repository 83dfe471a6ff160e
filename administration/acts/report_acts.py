"""What administrators do with a report."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.models import User
from administration.acts.forms import NoteForm
from administration.acts.kinds import ActKind, Acts, Values
from administration.models import Act, PageReport


def _handle(report: PageReport, by: User, data: Values, reason: str) -> Values:
    PageReport.objects.filter(pk=report.pk).update(handled_at=timezone.now())
    return {}


def _reopen(report: PageReport, by: User, data: Values, reason: str) -> Values:
    PageReport.objects.filter(pk=report.pk).update(handled_at=None)
    return {}


REPORT_ACTS: Acts[PageReport] = Acts(
    Act.Subject.REPORT,
    lambda report: report.title,
    (
        ActKind(
            "handle",
            gettext_lazy("Mark as settled"),
            gettext_lazy("%(by)s settled the report about %(subject)s."),
            _handle,
            lambda report, by: report.handled_at is None,
            form=NoteForm,
            icon="check",
        ),
        ActKind(
            "reopen",
            gettext_lazy("Reopen"),
            gettext_lazy("%(by)s opened the report about %(subject)s again."),
            _reopen,
            lambda report, by: report.handled_at is not None,
            icon="arrow-counterclockwise",
        ),
    ),
)
