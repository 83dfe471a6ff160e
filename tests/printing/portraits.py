"""Pictures of nobody, and how many there are in a print."""

from __future__ import annotations

import io

from PIL import Image
from pypdf import PdfReader


def photograph() -> bytes:
    """A picture of nobody."""
    file = io.BytesIO()
    Image.new("RGB", (600, 800), "teal").save(file, "JPEG")
    return file.getvalue()


def pictures_of(pdf: bytes) -> int:
    """How many different pictures there are in it: its pages have them together."""
    pages = PdfReader(io.BytesIO(pdf)).pages
    return len({image.data for page in pages for image in page.images})
