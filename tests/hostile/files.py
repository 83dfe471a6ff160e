"""Files that people upload: sound ones as the site exports them, pictures of every kind, and
spoiled versions of both; and files that are small to send and large to read.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from random import Random

from PIL import Image, features

from rules.library import shipped_folders
from rules.loading.reader import read_folder
from rules.words.po import write_translation
from rules.words.table import find_words
from tests.hostile import nasty

RECORDS = 250_000


@cache
def pictures() -> dict[str, bytes]:
    """Return a small picture in every format that can be written here."""
    image = Image.radial_gradient("L").resize((90, 120)).convert("RGB")
    formats = ["PNG", "JPEG", "GIF", "BMP", "TIFF", "PPM", "TGA", "ICO", "PCX", "JPEG2000", "WEBP"]
    if features.check("avif"):
        formats.append("AVIF")
    found = {}
    for name in formats:
        target = io.BytesIO()
        image.save(target, name)
        found[name] = target.getvalue()
    frames = [image.rotate(angle) for angle in range(0, 360, 30)]
    target = io.BytesIO()
    image.save(target, "GIF", save_all=True, append_images=frames)
    found["animation"] = target.getvalue()
    return found


@cache
def bad_pictures() -> dict[str, bytes]:
    """Return files that claim to be pictures."""
    page = b"<html><script>hostile()</script>"
    png, jpeg = pictures()["PNG"], pictures()["JPEG"]
    return {
        "svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="hostile()"/>',
        "page": page,
        "picture and page": jpeg + page,
        "gif and script": b"GIF89a/*" + page + b"*/=1;",
        "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n/x {x} def x\n",
        "huge": _huge_png(30_000, 30_000),
        "wide": _huge_png(2**31 - 1, 1),
        "empty": b"",
        "header only": png[:33],
        "many chunks": png[:33] + _chunk(b"tEXt", b"a\x00" + b"b" * 10) * 50_000 + png[33:],
        "text bomb": png[:33]
        + _chunk(b"zTXt", b"a\x00\x00" + zlib.compress(bytes(10**8)))
        + png[33:],
        "large": png + bytes(9_000_000),
    }


def _chunk(kind: bytes, data: bytes) -> bytes:
    crc = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + crc


def _huge_png(width: int, height: int) -> bytes:
    """Return a few bytes that unpack to all these pixels."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes(10**7))
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + _chunk(b"IHDR", head) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def picture(dice: Random) -> tuple[bytes, str]:
    """Return a picture, usually spoiled, and its description."""
    if dice.random() < 0.35:
        name = dice.choice(list(bad_pictures()))
        return bad_pictures()[name], name
    name = dice.choice(list(pictures()))
    content = pictures()[name]
    if dice.random() < 0.6:
        content, words = nasty.bytes_spoiled(content, dice)
        return content, f"{name}, {words}"
    return content, name


def document(sound: bytes, dice: Random, ids: Sequence[str]) -> tuple[bytes, str]:
    """Return a file that the site exported, usually spoiled, and a description of its faults."""
    act = dice.random()
    if act < 0.12:
        return sound, "as exported"
    if act < 0.72:
        return nasty.json_spoiled(json.loads(sound), dice, ids)
    if act < 0.95:
        return nasty.bytes_spoiled(sound, dice)
    return bomb(sound, dice)


def bomb(sound: bytes, dice: Random) -> tuple[bytes, str]:
    """Return a file of a megabyte or two that is large to read."""
    plain = json.loads(sound)
    lists = [
        way
        for way in nasty.places(plain)
        if isinstance(nasty.at(plain, way), list) and len(way) < 6
    ]
    act = dice.randrange(5)
    if act == 0:
        return b"[" * 100_000 + b"]" * 100_000, "100,000 lists in one another"
    if act == 1:
        many = {**plain, **{f"k{number}": 0 for number in range(RECORDS // 2)}}
        return json.dumps(many).encode(), f"{RECORDS // 2} unknown keys"
    if act == 2:
        return json.dumps({**plain, "format": 1}).replace("1", "9" * 5000, 1).encode(), "a number"
    way = dice.choice(lists) if lists else ("entries",)
    inside = nasty.at(plain, way[:-1])
    record = dice.choice(({}, 0, "", [], None))
    inside[way[-1]] = [record] * RECORDS
    name = ".".join(map(str, way))
    return json.dumps(plain, separators=(",", ":")).encode(), f"{name} of {RECORDS} {record!r}"


def translation(dice: Random) -> tuple[bytes, str]:
    """Return a translation of a rulebook, usually spoiled, and a description of its faults."""
    book = read_folder(dice.choice(shipped_folders()))
    words = {word: nasty.text(dice)[:400] or "x" for word in find_words(book)}
    sound = write_translation(book, dice.choice(("de", "es", "pt-br", "eo", "zz")), words)
    act = dice.random()
    if act < 0.3:
        return sound, "sound"
    if act < 0.8:
        return nasty.bytes_spoiled(sound, dice)
    line = dice.choice(
        (
            b'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\n\n',
            b'"Plural-Forms: nplurals=9; plural=n**n**n;\\n"\n',
            b'msgctxt "name"\nmsgid "x"\nmsgstr "y"\n\n',
            b'"\\n"\n',
            b"#~ x\n",
            b"#: a b c\n",
        )
    )
    return sound + b"\n" + line * (900_000 // len(line)), f"many lines {line!r}"


def pasted(dice: Random, names: Sequence[str]) -> str:
    """Return a table as pasted from elsewhere, with bad cells and lines."""
    separator = dice.choice(("\t", ";", ",", "|"))
    columns = dice.randint(1, 12)
    lines = dice.choice((1, 3, 30, 400))
    heads = [dice.choice(names) if names else "Name" for _ in range(columns)]
    cells = (
        separator.join(
            dice.choice(("Knife", "10", "x", nasty.text(dice)[:300])) for _ in range(columns)
        )
        for _ in range(lines)
    )
    return "\n".join((separator.join(heads), *cells))


def old_results(dice: Random) -> str:
    """Return a table of old results, some of whose cells are bad."""
    separator = dice.choice(("\t", ";", ","))
    good = (
        ("2025-05-01", "1.5.2025", "3 mai 2024", "May 3, 2024", "31/12/24"),
        ("Crows", "Bears", "Wolves"),
        ("Crows", "Bears", "Wolves"),
        ("2:1", "1-1", "won", "nul", "Bears"),
        ("", "Skirmish"),
        ("", "a long evening"),
    )
    bad = (*nasty.DATES, *nasty.NUMBERS, *nasty.TEXTS)

    def cell(choices: Sequence[str]) -> str:
        found = dice.choice(bad if dice.random() < 0.03 else choices)
        return f'"{found}"' if dice.random() < 0.05 else found

    rows = [
        separator.join(cell(choices) for choices in good)
        for _ in range(dice.choice((1, 5, 40, 400, 700)))
    ]
    heads = ("Date", "A", "B", "Result", "Scenario", "Note")
    return "\n".join([separator.join(heads), *rows] if dice.random() < 0.7 else rows)
