"""Decodes somebody's file into small clean pictures. It knows no Django, since it runs in a
process of its own: a file from anybody is only ever decoded here.

As a program it reads one file and writes the pictures, each after its length; or it writes why
there are none, and ends with ``UNFIT``.
"""

from __future__ import annotations

import io
import os
import resource
import struct
import sys
import warnings

# The decoders are named, so that they are there before the process gives up what it may.
from PIL import GifImagePlugin, Image, ImageFile, JpegImagePlugin, PngImagePlugin, WebPImagePlugin  # noqa: F401
from PIL import UnidentifiedImageError as Unidentified

# A phone's camera takes fewer, most of the time, and writes JPEGs, which are decoded at a fraction
# of their size. Every pixel of the others is decoded, in up to eight bytes; no screen shows more.
MOST_PIXELS = {"JPEG": 40_000_000, "PNG": 16_000_000, "WEBP": 16_000_000, "GIF": 16_000_000}
# Every other format that the library knows is never even tried.
FORMATS = list(MOST_PIXELS)
# The sides of the squares that are made, in pixels.
SIZES = (96, 480)
QUALITY = 85
# Modes in which neighbouring pixels can be mixed.
SHADES = ("L", "LA", "RGB", "RGBA", "CMYK")
# Ends the program if the file cannot be made a picture of.
UNFIT = 3
# Limits of one file: bytes of memory, seconds of the processor. The worst that is let in so far
# takes one; files made to be slow (a thousand scans, a million comments) are stopped by this alone.
MOST_MEMORY = 1 << 30
LONGEST = 3

ORIENTATION = 0x0112
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class Unfit(Exception):
    """No picture can be made of a file. ``code``: no_picture, too_many_pixels or damaged."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def decode_picture(content: bytes) -> tuple[bytes, ...]:
    """The middle of a picture as square JPEGs of ``SIZES``, with nothing of the file in them but
    its colours. Raises Unfit."""
    # Half a picture is none, whatever another library of the process has made of that.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with warnings.catch_warnings():
            # What the library says of odd files is of no use to whoever sent one.
            warnings.simplefilter("ignore")
            return _decoded(content)
    except Unfit:
        raise
    except (MemoryError, Image.DecompressionBombError):
        raise Unfit("too_many_pixels") from None
    except Exception:  # noqa: BLE001 - A decoder that stumbles over a file raises whatever it likes.
        raise Unfit("damaged") from None


def _decoded(content: bytes) -> tuple[bytes, ...]:
    try:
        image: Image.Image = Image.open(io.BytesIO(content), formats=FORMATS)
    except Unidentified:
        raise Unfit("no_picture") from None
    # Only the head of the file has been read so far.
    if image.width * image.height > MOST_PIXELS[image.format or ""]:
        raise Unfit("too_many_pixels")
    turn = TURNS.get(image.getexif().get(ORIENTATION, 1))
    # A JPEG can be decoded at a fraction of its size.
    image.draft(None, (2 * max(SIZES), 2 * max(SIZES)))
    side = min(image.size)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    middle = (left, top, left + side, top + side)
    factor = max(1, side // (2 * max(SIZES)))
    if image.mode in SHADES:
        # Made smaller before anything is copied: forty million pixels are a lot.
        image = _plain(image.reduce(factor, middle))
    else:
        image = _plain(image.crop(middle)).reduce(factor)
    files = []
    for size in SIZES:
        small = image.resize((size, size), Image.Resampling.LANCZOS)
        files.append(_written(small if turn is None else small.transpose(turn)))
    return tuple(files)


def _plain(image: Image.Image) -> Image.Image:
    """In eight bits of red, green and blue; what is transparent becomes white."""
    if image.mode.startswith("I"):
        # Sixteen bits of grey, of which a conversion would cut off everything above the eighth.
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L").convert("RGB")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        base = Image.new("RGB", image.size, "white")
        base.paste(image, mask=image)
        return base
    return image.convert("RGB")


def _written(image: Image.Image) -> bytes:
    # Onto a new one: whatever the file said beside its colours stays behind.
    clean = Image.new("RGB", image.size)
    clean.paste(image)
    out = io.BytesIO()
    clean.save(out, "JPEG", quality=QUALITY, optimize=True)
    return out.getvalue()


def _work() -> int:
    # Pages come first, and no file may take more than a picture does.
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    # At the first limit a signal ends it that says why.
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    out = sys.stdout.buffer
    try:
        pictures = decode_picture(sys.stdin.buffer.read())
    except Unfit as unfit:
        out.write(unfit.code.encode())
        return UNFIT
    for picture in pictures:
        out.write(struct.pack(">I", len(picture)) + picture)
    return 0


if __name__ == "__main__":
    sys.exit(_work())
