"""What is refused, and why: exceptions that every floor raises and the pages put into words."""

from __future__ import annotations

from common.text import quote

# Letters of a text that a sentence quotes.
LONGEST = 300


class Refusal(Exception):
    """A decision that cannot be carried out; nothing has changed.

    ``code`` says why (``gangs.text.refusals`` and ``campaigns.refusals`` have the sentence for
    each); ``values`` fill the sentence. Texts among them are cleaned here: they may be anybody's.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = {
            name: quote(value, LONGEST) if isinstance(value, str) else value
            for name, value in values.items()
        }


class Stale(Exception):
    """What was to be changed is no longer as the user saw it; nothing was written."""
