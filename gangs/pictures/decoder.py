"""Decodes an uploaded file into small clean pictures. It does not use Django, since it runs in a
separate process: untrusted files are decoded nowhere else.

As a program it reads one file and writes the pictures, each after its length; or it writes the
code of ``Unfit`` and exits with ``UNFIT``.
"""

from __future__ import annotations

import io
import os
import re
import resource
import struct
import sys
import warnings
from typing import TYPE_CHECKING

# Pillow is imported by the functions: the site's processes use only the constants.
if TYPE_CHECKING:
    from PIL import Image

# Phones take up to 48 million pixels, and write JPEGs, which are decoded at a fraction of their
# size. In other formats every pixel is decoded, to up to eight bytes; no screen shows more pixels
# than that.
MOST_PIXELS = {"JPEG": 50_000_000, "PNG": 16_000_000, "WEBP": 16_000_000, "GIF": 16_000_000}
# The library never tries its other formats.
FORMATS = list(MOST_PIXELS)
# The sides of the square pictures, and the longer sides of photos, in pixels.
SIZES = (96, 480)
PHOTO_SIZES = (640, 1600)
# A photo is at most this many times as long as it is high, and the other way round; the rest is cut
# off.
LONGEST_PHOTO = 3
# The argument of the program for a photo; without it, the middle of the picture becomes square.
PHOTO = "photo"
# The first bytes of an HEIC file, after the length of its first part. Phones that save space write
# such files; neither Pillow nor most browsers can draw them.
HEIC = re.compile(rb"....ftyp(hei[cmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL)
QUALITY = 85
# Modes in which neighbouring pixels can be mixed.
SHADES = ("L", "LA", "RGB", "RGBA", "CMYK")
# The exit code of the program if the file cannot be made into a picture.
UNFIT = 3
# Limits for one file: bytes of memory, seconds of processor time. The slowest acceptable file takes
# one second; only this limit stops files made to be slow (a thousand scans, a million comments).
MOST_MEMORY = 1 << 30
LONGEST = 3

ORIENTATION = 0x0112
TURNS = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}


class Unfit(Exception):
    """Raised for a file that cannot be made into a picture. ``code``: no_picture, heic,
    too_many_pixels or damaged."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def decode_picture(content: bytes, *, is_photo: bool = False) -> tuple[bytes, ...]:
    """The middle of a picture as square JPEGs of ``SIZES``, without any of the file's metadata; the
    whole of a photo, as JPEGs of ``PHOTO_SIZES``. Raises Unfit."""
    from PIL import Image, ImageFile

    # Truncated pictures are damaged, even if another library has changed this setting.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with warnings.catch_warnings():
            # The library's warnings about odd files do not help the user.
            warnings.simplefilter("ignore")
            return _decoded(content, is_photo=is_photo)
    except Unfit:
        raise
    except (MemoryError, Image.DecompressionBombError):
        raise Unfit("too_many_pixels") from None
    except Exception:  # noqa: BLE001 - Decoders raise all kinds of errors on bad files.
        raise Unfit("damaged") from None


def _decoded(content: bytes, *, is_photo: bool) -> tuple[bytes, ...]:
    from PIL import Image, UnidentifiedImageError
    from PIL.JpegImagePlugin import JpegImageFile

    try:
        image: Image.Image = Image.open(io.BytesIO(content), formats=FORMATS)
    except UnidentifiedImageError:
        raise Unfit("heic" if HEIC.match(content) else "no_picture") from None
    if isinstance(image, JpegImageFile):
        # Most phones add a second image (a preview, depths, brightness), and the library calls such
        # a file by another name. As a plain JPEG it is its first image.
        image = JpegImageFile(io.BytesIO(content))
    # Only the head of the file has been read so far.
    if image.width * image.height > MOST_PIXELS[image.format or ""]:
        raise Unfit("too_many_pixels")
    turn = TURNS.get(image.getexif().get(ORIENTATION, 1))
    sizes = PHOTO_SIZES if is_photo else SIZES
    # A JPEG can be decoded at a fraction of its size.
    image.draft(None, (2 * max(sizes), 2 * max(sizes)))
    wide, high = image.size
    # The longest side that is kept: of a photo, some times the shorter one.
    most = min(wide, high) * (LONGEST_PHOTO if is_photo else 1)
    kept = (min(wide, most), min(high, most))
    left, top = (wide - kept[0]) // 2, (high - kept[1]) // 2
    middle = (left, top, left + kept[0], top + kept[1])
    factor = max(1, max(kept) // (2 * max(sizes)))
    if image.mode in SHADES:
        # Reduced before anything is copied, since forty million pixels take much memory.
        image = _plain(image.reduce(factor, middle))
    else:
        image = _plain(image.crop(middle)).reduce(factor)
    files = []
    for size in sizes:
        small = image.resize(_fit(image.size, size, is_photo=is_photo), Image.Resampling.LANCZOS)
        files.append(_written(small if turn is None else small.transpose(Image.Transpose[turn])))
    return tuple(files)


def _fit(size: tuple[int, int], longest: int, *, is_photo: bool) -> tuple[int, int]:
    """Return the size of a picture with a longer side of ``longest`` pixels; small photos are not
    enlarged."""
    if not is_photo:
        return longest, longest
    share = min(1.0, longest / max(size))
    return max(1, round(size[0] * share)), max(1, round(size[1] * share))


def _plain(image: Image.Image) -> Image.Image:
    """Convert to eight bits each of red, green and blue; transparent pixels become white."""
    from PIL import Image

    if image.mode.startswith("I"):
        # Sixteen bits of grey: a plain conversion would clip everything above eight bits.
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L").convert("RGB")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        base = Image.new("RGB", image.size, "white")
        base.paste(image, mask=image)
        return base
    return image.convert("RGB")


def _written(image: Image.Image) -> bytes:
    from PIL import Image

    # Only the colours are copied to a new image, so that the file's metadata stays behind.
    clean = Image.new("RGB", image.size)
    clean.paste(image)
    out = io.BytesIO()
    clean.save(out, "JPEG", quality=QUALITY, optimize=True)
    return out.getvalue()


def _work() -> int:
    # Import the decoders before the process limits its own resources.
    from PIL import GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin  # noqa: F401

    # Requests for pages have priority, and no file may use more than a picture needs.
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    # At the first limit, a signal ends the process and identifies the reason.
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    out = sys.stdout.buffer
    try:
        pictures = decode_picture(sys.stdin.buffer.read(), is_photo=PHOTO in sys.argv[1:])
    except Unfit as unfit:
        out.write(unfit.code.encode())
        return UNFIT
    for picture in pictures:
        out.write(struct.pack(">I", len(picture)) + picture)
    return 0


if __name__ == "__main__":
    sys.exit(_work())
