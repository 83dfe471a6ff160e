"""How a yearbook is wanted."""

from __future__ import annotations

from gangs.print_forms import PaperForm


class BookForm(PaperForm):
    """Paper and style; a book is read, so there are no plain tables of it."""

    styles = ("ink", "illustrated")
