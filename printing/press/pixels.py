"""Draw a job as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

from printing.press import layout
from printing.press.jobs import NO_PICTURES, Job


def png(job: Job, pictures: Mapping[str, bytes] = NO_PICTURES) -> bytes:
    """Return the first page of a job as a PNG, as many pixels wide as the job says. ``pictures``:
    those that it shows, by their names.

    Equal jobs give equal bytes.
    """
    # Most presses draw their first picture later than their first sheet.
    import pypdfium2

    document = pypdfium2.PdfDocument(layout.pdf(job, pictures, variant=None))
    try:
        page = document[0]
        wide, high = page.get_size()
        drawn = page.render(scale=job.width / wide).to_pil().convert("RGB")
        # A fraction of a pixel more is rounded up.
        drawn = drawn.crop((0, 0, job.width, round(high * job.width / wide)))
    finally:
        document.close()
    written = BytesIO()
    drawn.save(written, "PNG", compress_level=6)
    return written.getvalue()
