"""Jobs for the press, and their form in the line."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

# The prefix of the addresses of pictures: they come with the job, and are not fetched.
PICTURE = "picture:"
NO_PICTURES: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True)
class Job:
    """A print job: HTML, with stylesheets by name (``sheet`` is print/sheet.css).

    ``html``: well-formed XML, which is fast to read: HTML's own parser takes a tenth of a sheet's
    time. ``pictures``: the names of the pictures that it shows, by their ``picture_address``.
    ``tries``: alternative rules, from the roomiest to the tightest: the press uses the first that
    takes no more pages than the last. ``lengths``: about how many pages the job takes with each of
    these rules (1.5 if the second is half full), so that only those in doubt are tried.
    ``tighter``: rules that are tried if the last page is nearly empty, and used if they save it.
    ``width``: of a picture, in pixels; 0 for a PDF.
    """

    html: str
    styles: tuple[str, ...] = ("fonts", "sheet")
    pictures: tuple[str, ...] = ()
    tries: tuple[str, ...] = ()
    lengths: tuple[float, ...] = ()
    tighter: str = ""
    width: int = 0


def picture_address(name: str) -> str:
    """Return the address by which the HTML of a job shows the picture of this name."""
    return PICTURE + name


def pack_job(job: Job) -> bytes:
    """Return a job as bytes. Not a pickle: with one, anybody who can write to the database could
    run any code on every machine of the site.
    """
    return zlib.compress(json.dumps(asdict(job)).encode())


def unpack_job(stored: bytes) -> Job:
    """Return the job that ``pack_job`` packed."""
    fields = json.loads(zlib.decompress(stored))
    return Job(
        html=fields["html"],
        styles=tuple(fields["styles"]),
        pictures=tuple(fields["pictures"]),
        tries=tuple(fields["tries"]),
        # Jobs of older releases have none of these.
        lengths=tuple(fields.get("lengths", ())),
        tighter=fields.get("tighter", ""),
        width=fields.get("width", 0),
    )
