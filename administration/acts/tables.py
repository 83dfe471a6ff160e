"""All acts there are, by what they are done to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from administration.acts.account_acts import ACCOUNT_ACTS
from administration.acts.campaign_acts import CAMPAIGN_ACTS
from administration.acts.gang_acts import GANG_ACTS
from administration.acts.kinds import Acts
from administration.acts.report_acts import REPORT_ACTS
from administration.models import Act

TABLES: Mapping[str, Acts[Any]] = {
    table.subject: table for table in (ACCOUNT_ACTS, GANG_ACTS, CAMPAIGN_ACTS, REPORT_ACTS)
}
SENTENCES = {
    (subject, kind.key): kind.sentence for subject, table in TABLES.items() for kind in table.kinds
}


def describe(act: Act) -> str:
    """What was done, in the reader's language, without the reason."""
    values = {**act.values, "by": act.by_name, "subject": act.subject_name}
    sentence = SENTENCES.get((act.subject, act.kind))
    try:
        return str(sentence) % values if sentence is not None else act.kind
    except KeyError:
        # The sentence was another one when this was done.
        return _("%(by)s: %(subject)s (%(kind)s)") % {**values, "kind": act.kind}
