"""Zips of rulebooks as an attacker would make them: sound ones, spoiled ones, and zips and TOML
files that are small to send and large to read.
"""

from __future__ import annotations

import io
import json
import re
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from random import Random

from rules.packages.archive import BIGGEST_ZIP, LABEL, pack
from tests.hostile import nasty
from tests.hostile.rulebooks.writing import SLUGS, base

type Files = dict[str, bytes]

# A value of a key, on one line.
VALUE = re.compile(r"^(\w+) = (?![\[{]$)(.+)$", re.M)
# Values that TOML has and a rulebook does not, or that no computer holds.
VALUES = (
    "1979-05-27T07:32:00Z",
    "1979-05-27",
    "07:32:00",
    "nan",
    "-inf",
    "inf",
    "1e999999",
    "-0.0",
    "9223372036854775808",
    "-9223372036854775809",
    "9" * 4000,
    "9" * 5000,
    "0x" + "f" * 5000,
    "1" + "0" * 308,
    "0b1",
    "0o7",
    "1_000",
    "true",
    "[]",
    "{}",
    '""',
    "''",
    "[[]]",
    "[{}]",
    '{ en = "x" }',
    '{ fr = "" , en = "\\u0000" }',
    '"\\uD800"',
    '"\\U00110000"',
    '"\\u202e"',
    '"""\n\n"""',
    "'''x'''",
    "[1, 'a', 1.5, {}]",
    "[" * 60 + "]" * 60,
    "1 2",
    "=",
    "\x00",
    "#",
)
# More than any rulebook needs, few enough to send.
MANY = 5_000
DEEP = 20_000


def sound(dice: Random) -> Files:
    """Return the files of the package of a shipped rulebook, by path."""
    return dict(_packed(dice.choice(SLUGS)))


@cache
def _packed(slug: str) -> Files:
    with zipfile.ZipFile(io.BytesIO(pack(base(slug).book))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def zip_of(files: Iterable[tuple[str | zipfile.ZipInfo, bytes]], method: int = 8) -> bytes:
    """Return a zip of files by path."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as packed:
        for name, content in files:
            packed.writestr(name, content, method)
    return written.getvalue()


type Shape = Callable[[Random], bytes]
SHAPES: dict[str, Shape] = {}


def shape(made: Shape) -> Shape:
    """Register a kind of package under the name of its function."""
    SHAPES[made.__name__] = made
    return made


@shape
def as_packed(dice: Random) -> bytes:
    """A sound package."""
    return zip_of(sound(dice).items())


@shape
def bytes_spoiled(dice: Random) -> bytes:
    """A zip with bytes flipped, cut or doubled."""
    return nasty.bytes_spoiled(as_packed(dice), dice)[0]


@shape
def heads_spoiled(dice: Random) -> bytes:
    """A zip whose directory lies: sizes, places, methods, flags, lengths of names."""
    content = bytearray(as_packed(dice))
    heads = [match.start() for match in re.finditer(b"PK\x01\x02|PK\x03\x04|PK\x05\x06", content)]
    for _ in range(dice.choice((1, 1, 4))):
        place = dice.choice(heads) + dice.randrange(4, 46)
        value = dice.choice((0, 1, 0xFFFF, 0xFFFFFFFF, dice.randrange(2**32)))
        content[place : place + 4] = struct.pack("<I", value)
    return bytes(content)


@shape
def text_spoiled(dice: Random) -> bytes:
    """A TOML file with bytes flipped, cut or doubled, in UTF-16 or with a byte order mark."""
    files = sound(dice)
    name = _toml(files, dice)
    files[name] = nasty.bytes_spoiled(files[name], dice)[0]
    return zip_of(files.items())


@shape
def other_encoding(dice: Random) -> bytes:
    """A TOML file in another encoding than UTF-8."""
    files = sound(dice)
    name = _toml(files, dice)
    encoding = dice.choice(("latin-1", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp1252"))
    files[name] = files[name].decode().encode(encoding, "replace")
    return zip_of(files.items())


@shape
def values_replaced(dice: Random) -> bytes:
    """A TOML file with one to three other values: numbers that nothing holds, dates, bad texts."""
    files = sound(dice)
    for _ in range(dice.choice((1, 1, 2, 3))):
        name = _toml(files, dice)
        text = files[name].decode()
        found = [*VALUE.finditer(text)]
        if not found:
            continue
        match = dice.choice(found)
        value = dice.choice(VALUES) if dice.random() < 0.6 else json.dumps(nasty.text(dice))
        text = f"{text[: match.start(2)]}{value}{text[match.end(2) :]}"
        files[name] = text.encode("utf-8", "surrogatepass")
    return zip_of(files.items())


@shape
def lines_mixed(dice: Random) -> bytes:
    """A TOML file with lines missing, doubled or in another order."""
    files = sound(dice)
    name = _toml(files, dice)
    lines = files[name].splitlines(keepends=True)
    for _ in range(dice.choice((1, 2, 20))):
        act, place = dice.randrange(3), dice.randrange(len(lines))
        if act == 0 and len(lines) > 1:
            del lines[place]
        elif act == 1:
            lines.insert(dice.randrange(len(lines)), lines[place])
        else:
            other = dice.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
    files[name] = b"".join(lines)
    return zip_of(files.items())


@shape
def deep(dice: Random) -> bytes:
    """TOML that is nested deeply: lists, tables on a line, keys and headers with dots."""
    return _with_text(
        dice,
        dice.choice(
            (
                "x = " + "[" * DEEP + "]" * DEEP,
                "x = " + "{ a = " * DEEP + "1" + " }" * DEEP,
                "x" + ".a" * DEEP + " = 1",
                "[x" + ".a" * DEEP + "]",
                "[[x" + ".a" * DEEP + "]]",
                "\n".join(f"[[x{'.a' * depth}]]" for depth in range(1, 400)),
            )
        ),
    )


@shape
def many_keys(dice: Random) -> bytes:
    """TOML with a hundred thousand keys, rows, or items of a list."""
    count = dice.choice((MANY, 90_000))
    return _with_text(
        dice,
        dice.choice(
            (
                "\n".join(f"k{number} = 0" for number in range(count)),
                "[[items]]\n" * count,
                "items = [" + "{}," * count + "]",
                f"name = [{'0,' * count}]",
                "\n".join(f"[x{number}]" for number in range(count)),
                "\n".join(f"items.k{number}.a = 1" for number in range(count)),
                '"" = 1\n"__proto__" = 1\n"\\u0000" = 1\n"a b" = 1\n',
                "# " + "x" * 900_000,
                "\n" * 900_000,
            )
        ),
    )


@shape
def bomb(dice: Random) -> bytes:
    """A small zip of files that are huge when read."""
    size, count = dice.choice(((20_000_000, 1), (2_000_000, 8), (999_999, 20), (6_000_000, 3)))
    fill = dice.choice((b"#", b"\n", b"\x00", b"[", b"9", b'"'))
    return zip_of((f"small/{number}.toml", fill * size) for number in range(count))


@shape
def overlap(dice: Random) -> bytes:
    """A zip with many entries for the same bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("small/book.toml", b"#" * 900_000)
        first = packed.infolist()[0]
        for number in range(dice.choice((3, 39, 199, MANY))):
            entry = zipfile.ZipInfo(f"small/{number}.toml")
            for name in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(entry, name, getattr(first, name))
            packed.filelist.append(entry)
            packed.NameToInfo[entry.filename] = entry
    return written.getvalue()


@shape
def paths(dice: Random) -> bytes:
    """Files whose paths lead elsewhere, or that no computer can have."""
    files = sound(dice)
    names = (
        "../../etc/cron.d/x.toml",
        "/etc/x.toml",
        "C:\\x.toml",
        "a\\..\\x.toml",
        "x/../y.toml",
        ".toml",
        "a/b/c/d/x.toml",
        "\u202elmot.x.toml",
        "é.toml",
        "x" * 300 + ".toml",
        "x.TOML",
        "CON.toml",
        "//server/x.toml",
        "small/./book.toml",
        "small//book.toml",
        "a:b.toml",
        "__MACOSX/book.toml",
        "package.json",
        "small/package.json/x.toml",
        "-rf.toml",
        "~.toml",
    )
    items = [*files.items()]
    for name in dice.sample(names, dice.choice((1, 3))):
        if name not in files:
            items.insert(dice.randrange(len(items) + 1), (name, b"x = 1\n"))
    return zip_of(items)


@shape
def links(dice: Random) -> bytes:
    """Symbolic links, devices and pipes in the place of files."""
    kind = dice.choice((stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK, stat.S_IFDIR))
    files: list[tuple[str | zipfile.ZipInfo, bytes]] = []
    for name, content in sound(dice).items():
        entry = zipfile.ZipInfo(name)
        is_link = name.endswith(dice.choice(("book.toml", ".toml", LABEL)))
        entry.external_attr = (kind | 0o777) << 16 if is_link else 0
        target = dice.choice((b"/etc/passwd", b"../../../etc/passwd", b"/dev/zero", b"/proc/self"))
        files.append((entry, target if is_link else content))
    return zip_of(files)


@shape
def many_files(dice: Random) -> bytes:
    """Thousands of files or folders."""
    count = dice.choice((41, 201, MANY))
    end = dice.choice((".toml", ".txt", "/", "/book.toml"))
    return zip_of(((f"small/{number}{end}", b"") for number in range(count)), zipfile.ZIP_STORED)


@shape
def twice(dice: Random) -> bytes:
    """Two files of one name, or of names that a file system may take for one."""
    written = io.BytesIO()
    files = sound(dice)
    name = _toml(files, dice)
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in files.items():
            packed.writestr(path, content)
        other = dice.choice((name, name.upper(), name.replace("/", "//"), f"{name} "))
        with warnings.catch_warnings():
            # The library warns of the second file of one name.
            warnings.simplefilter("ignore")
            packed.writestr(other, files[name])
    return written.getvalue()


@shape
def label(dice: Random) -> bytes:
    """A label that is not as it should be."""
    files = sound(dice)
    name = next(name for name in files if name.endswith(LABEL))
    act = dice.randrange(4)
    if act == 0:
        files[name] = nasty.json_spoiled(json.loads(files[name]), dice, ())[0]
    elif act == 1:
        files[name] = nasty.bytes_spoiled(files[name], dice)[0]
    elif act == 2:
        files[name] = dice.choice((b"[" * 9_000, b"{}", b"9" * 9_000, b"x" * 20_000, b"null"))
    else:
        changed = {**json.loads(files[name]), "digest": dice.choice(("", 1, "x", None, ["x"]))}
        files[name] = json.dumps(changed).encode()
    return zip_of(files.items())


@shape
def odd_zip(dice: Random) -> bytes:
    """Another method, text before the zip, a comment after it, a zip in a zip, no zip."""
    plain = as_packed(dice)
    act = dice.randrange(6)
    if act == 0:
        methods = (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED)
        return zip_of(sound(dice).items(), dice.choice(methods))
    if act == 1:
        return b"#!/bin/sh\n" * 1_000 + plain
    if act == 2:
        return plain[:-2] + b"\xff\xff" + b"x" * 65_535
    if act == 3:
        return zip_of([("small/inner.zip", plain), ("small/book.toml", plain)])
    if act == 4:
        return dice.choice((b"PK", b"PK\x05\x06" + bytes(18), bytes(BIGGEST_ZIP + 1), b"\x1f\x8b"))
    return plain + plain


def _toml(files: Files, dice: Random) -> str:
    """Return the path of one of the TOML files."""
    return dice.choice([name for name in files if name.endswith(".toml")])


def _with_text(dice: Random, text: str) -> bytes:
    """Return a package with this text at the end of one of its files, or in a file of its own."""
    files = sound(dice)
    if dice.random() < 0.5:
        name = _toml(files, dice)
        files[name] += b"\n" + text.encode()
    else:
        name = next(iter(files)).partition("/")[0] + "/more.toml"
        files[name] = text.encode()
    return zip_of(files.items())


def package(dice: Random) -> tuple[bytes, str]:
    """Return a package, usually spoiled, and the name of its shape."""
    name = dice.choice(list(SHAPES))
    return SHAPES[name](dice), name
