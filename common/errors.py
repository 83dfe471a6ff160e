"""Exceptions for refused actions; every layer raises them and the pages word them."""

from __future__ import annotations

from common.text import quote

# The longest text that a sentence quotes.
LONGEST = 300


class Refusal(Exception):
    """An action that cannot be carried out; nothing has changed.

    ``code`` selects the sentence (see ``gangs.text.refusals`` and ``campaigns.refusals``) and
    ``values`` fill it. Strings among them may come from anybody and are cleaned here.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = {
            name: quote(value, LONGEST) if isinstance(value, str) else value
            for name, value in values.items()
        }


class Stale(Exception):
    """The row has changed since the user saw it; nothing was written."""
