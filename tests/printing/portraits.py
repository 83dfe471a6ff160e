"""Invented photographs, and counting the pictures in a print."""

from __future__ import annotations

import io

from PIL import Image
from pypdf import PdfReader


def photograph() -> bytes:
    """An invented photograph."""
    file = io.BytesIO()
    Image.new("RGB", (600, 800), "teal").save(file, "JPEG")
    return file.getvalue()


def pictures_of(pdf: bytes) -> int:
    """The number of different pictures in a print; its pages share them."""
    pages = PdfReader(io.BytesIO(pdf)).pages
    return len({image.data for page in pages for image in page.images})
