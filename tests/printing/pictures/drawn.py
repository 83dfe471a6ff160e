"""Pictures drawn without a site."""

from printing.pictures.drawing import job
from printing.pictures.values import Preview
from printing.press import pixels
from printing.queue import shown_pictures


def png(preview: Preview) -> bytes:
    """The picture as the press draws it."""
    made = job(preview)
    return pixels.png(made, shown_pictures(made))
