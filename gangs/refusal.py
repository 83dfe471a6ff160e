"""A refusal: the house says no to a decision, in words, and nothing has changed."""

from __future__ import annotations

from rules.vocabulary import Text

Value = int | float | str | Text


class Refusal(Exception):
    """A decision that cannot be carried out.

    ``code`` says why (``gangs.wording`` has the sentence for each); ``values`` fill the sentence.
    """

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(code)
        self.code = code
        self.values = values
