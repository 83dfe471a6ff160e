"""The decoder: any file becomes a small clean square, or is refused with a reason."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image, ImageCms, ImageFile, ImageOps, PngImagePlugin

from gangs.pictures.decoder import MOST_PIXELS, SIZES, Unfit, decode_picture
from gangs.pictures.storage import BIGGEST_FILE, decode

RED, GREEN, BLUE, WHITE = (220, 20, 20), (20, 200, 20), (20, 20, 220), (255, 255, 255)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def opened(content: bytes) -> tuple[Image.Image, ...]:
    return tuple(Image.open(io.BytesIO(file)) for file in decode_picture(content))


def corners() -> Image.Image:
    """Return a square whose quarters show which way up it is."""
    image = Image.new("RGB", (200, 200), WHITE)
    for place, colour in (((0, 0), RED), ((100, 0), GREEN), ((0, 100), BLUE)):
        image.paste(colour, (*place, place[0] + 100, place[1] + 100))
    return image


def close(found: Any, wanted: tuple[int, ...]) -> bool:
    """Whether two colours are almost the same: a JPEG's colours are never exact."""
    return all(abs(one - other) < 16 for one, other in zip(found, wanted, strict=True))


def quarters(image: Image.Image) -> list[Any]:
    near, far = image.width // 4, image.width * 3 // 4
    return [image.getpixel(place) for place in ((near, near), (far, near), (near, far), (far, far))]


def refusal(content: bytes) -> str:
    with pytest.raises(Unfit) as unfit:
        decode_picture(content)
    return unfit.value.code


# Decoded pictures ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_every_kind_of_picture_becomes_small_squares(kind: str) -> None:
    small, large = opened(encoded(corners(), kind))
    assert (small.format, small.mode, large.format, large.mode) == ("JPEG", "RGB", "JPEG", "RGB")
    assert (small.size, large.size) == tuple((side, side) for side in SIZES)
    for image in (small, large):
        found = quarters(image)
        assert all(map(close, found, (RED, GREEN, BLUE, WHITE))), found


@pytest.mark.parametrize("size", [(300, 100), (100, 300), (3000, 1000), (9000, 3)])
def test_middle_of_a_long_picture_is_kept(size: tuple[int, int]) -> None:
    width, height = size
    image = Image.new("RGB", size, RED)
    third = max(size) // 3
    if width > height:
        image.paste(GREEN, (third, 0, 2 * third, height))
    else:
        image.paste(GREEN, (0, third, width, 2 * third))
    for found in opened(encoded(image, "PNG")):
        assert all(close(colour, GREEN) for colour in quarters(found))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_picture_is_turned_upright_as_its_camera_recorded(turn: int, kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = turn
    content = encoded(corners(), kind, exif=exif.tobytes())
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(content)))
    assert upright is not None
    wanted = quarters(upright.convert("RGB"))
    for found in opened(content):
        assert all(map(close, quarters(found), wanted))


def test_pictures_of_every_depth_keep_their_brightness() -> None:
    grey = Image.linear_gradient("L").resize((200, 200))
    deep = grey.convert("I").point(lambda value: value * 257).convert("I;16")
    for image in (grey, grey.convert("RGB"), grey.convert("P"), deep):
        large = opened(encoded(image, "PNG"))[1]
        for row in (24, 240, 456):
            wanted = grey.getpixel((100, row * 200 // 480))
            assert close(large.getpixel((240, row)), (wanted,) * 3), (image.mode, row)
    one_bit = opened(encoded(grey.convert("1"), "PNG"))[1]
    assert close(one_bit.getpixel((240, 475)), WHITE)


def test_printing_colours_become_screen_colours() -> None:
    cyan = encoded(Image.new("CMYK", (50, 50), (255, 0, 0, 0)), "JPEG")
    assert all(close(image.getpixel((9, 9)), (0, 255, 255)) for image in opened(cyan))


@pytest.mark.parametrize(
    ("mode", "kind"),
    [(mode, kind) for mode in ("RGBA", "LA", "P") for kind in ("PNG", "WEBP")] + [("RGBA", "GIF")],
)
def test_transparent_parts_become_white(mode: str, kind: str) -> None:
    image = Image.new("RGBA", (100, 100), (0, 0, 0, 0))
    image.paste((90, 90, 90, 255), (25, 25, 75, 75))
    large = opened(encoded(image.convert(mode), kind))[1]
    assert close(large.getpixel((10, 10)), WHITE)
    assert close(large.getpixel((240, 240)), (90, 90, 90))


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_first_frame_of_a_moving_picture_is_kept(kind: str) -> None:
    first, second = Image.new("RGB", (60, 60), RED), Image.new("RGB", (60, 60), BLUE)
    content = encoded(first, kind, save_all=True, append_images=[second], duration=100)
    for image in opened(content):
        assert getattr(image, "n_frames", 1) == 1
        assert close(image.getpixel((9, 9)), RED)


def with_second_image(turn: int = 1) -> bytes:
    """Return a JPEG as most phones write it: with a second image, and with the place in both."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = turn, "SECRET"
    exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 51.0, 24.0)})
    second = Image.new("RGB", (80, 80), BLUE)
    options = {"exif": exif.tobytes(), "comment": "SECRET"}
    return encoded(corners(), "MPO", save_all=True, append_images=[second], **options)


@pytest.mark.parametrize("turn", range(1, 9))
def test_first_image_of_a_phone_s_photo_is_kept(turn: int) -> None:
    content = with_second_image(turn)
    phone = Image.open(io.BytesIO(content))
    assert (phone.format, getattr(phone, "n_frames", 1)) == ("MPO", 2)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(content)))
    assert upright is not None
    for found in opened(content):
        assert all(map(close, quarters(found), quarters(upright.convert("RGB"))))
        assert getattr(found, "n_frames", 1) == 1
    for file in decode_picture(content, is_photo=True):
        assert not any(secret in file for secret in (b"SECRET", b"Exif", b"MPF"))


def test_spoiled_list_of_images_does_not_matter() -> None:
    content = with_second_image()
    start = content.index(b"MPF\0") + 4
    for place in range(start, start + 90, 3):
        spoiled = content[:place] + b"\xff\xff\xff" + content[place + 3 :]
        for found in opened(spoiled):
            assert all(map(close, quarters(found), (RED, GREEN, BLUE, WHITE)))


@pytest.mark.long
@pytest.mark.parametrize("progressive", [False, True])
def test_photo_of_48_megapixels_is_decoded(progressive: bool) -> None:
    noise = Image.effect_noise((1008, 756), 60).convert("RGB").resize((8064, 6048))
    exif = Image.Exif()
    exif[0x0112] = 6
    content = encoded(
        noise, "JPEG", quality=92, progressive=progressive, subsampling=0, exif=exif.tobytes()
    )
    assert 8_000_000 < len(content) < BIGGEST_FILE
    files = decode(content, "alice", is_photo=True).files
    assert [Image.open(io.BytesIO(file)).size for file in files] == [(480, 640), (1200, 1600)]


# Removed data --------------------------------------------------------------------------------


def told_much() -> dict[str, bytes]:
    """Return pictures with all the metadata that a file may contain."""
    secret = "SECRET"
    exif = Image.Exif()
    exif[0x010E] = exif[0x013B] = secret
    exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 51.0, 24.0), 3: "E", 4: (2.0, 21.0, 7.0)})
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", secret)
    text.add_itxt("XML:com.adobe.xmp", f"<x:xmpmeta>{secret}</x:xmpmeta>")
    all_of_it: dict[str, Any] = {"exif": exif.tobytes(), "icc_profile": profile}
    xmp = f"<x:xmpmeta>{secret}</x:xmpmeta>".encode()
    image = corners()
    return {
        "JPEG": encoded(image, "JPEG", comment=secret, xmp=xmp, **all_of_it),
        "PNG": encoded(image, "PNG", pnginfo=text, **all_of_it),
        "WEBP": encoded(image, "WEBP", xmp=xmp, **all_of_it),
        "GIF": encoded(image, "GIF", comment=secret),
    }


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_decoder_keeps_only_colours(kind: str) -> None:
    content = told_much()[kind]
    assert b"SECRET" in content
    hidden = b"PK\x03\x04<script>SECRET</script>"
    for file in decode_picture(content + hidden):
        for secret in (b"SECRET", b"<script", b"Exif", b"ICC_PROFILE", b"xmpmeta", b"PK\x03\x04"):
            assert secret not in file
        image = Image.open(io.BytesIO(file))
        assert not image.getexif()
        assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
        assert file.endswith(b"\xff\xd9")


def test_sample_pictures_contain_their_location() -> None:
    """The test above would find nothing otherwise."""
    for kind in ("JPEG", "PNG", "WEBP"):
        place = Image.open(io.BytesIO(told_much()[kind])).getexif().get_ifd(0x8825)
        assert place[2] == (48.0, 51.0, 24.0)


def test_equal_colours_make_equal_files() -> None:
    plain = encoded(corners(), "PNG")
    assert decode_picture(plain) == decode_picture(plain) == decode_picture(told_much()["PNG"])


# Refused files -------------------------------------------------------------------------------

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
NO_PICTURES = {
    "nothing": b"",
    "text": b"This is a picture, honestly.",
    "svg": SVG,
    "svg after xml": b'<?xml version="1.0"?>' + SVG,
    "page": b"<!doctype html><script>alert(1)</script>",
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "postscript": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    "archive": b"PK\x03\x04" + bytes(100),
    "bitmap": encoded(Image.new("RGB", (9, 9)), "BMP"),
    "tiff": encoded(Image.new("RGB", (9, 9)), "TIFF"),
    "icon": encoded(Image.new("RGB", (16, 16)), "ICO"),
    "jpeg 2000": encoded(Image.new("RGB", (9, 9)), "JPEG2000"),
    "avif": encoded(Image.new("RGB", (9, 9)), "AVIF"),
}


@pytest.mark.parametrize("name", NO_PICTURES)
def test_only_four_kinds_are_pictures(name: str) -> None:
    assert refusal(NO_PICTURES[name]) == "no_picture"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_half_a_picture_is_refused(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The library that lays prints out turns the display of truncated pictures on, for its whole
    # process.
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    content = encoded(Image.effect_noise((300, 300), 90).convert("RGB"), kind)
    for part in (len(content) // 2, len(content) // 5):
        assert refusal(content[:part]) in ("damaged", "no_picture")


@pytest.mark.parametrize("head", [b"GIF89a", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"RIFF"])
def test_script_with_a_picture_s_header_is_refused(head: bytes) -> None:
    assert refusal(head + b"/*" + SVG + b"*/=1;" * 40) in ("damaged", "no_picture")


@pytest.mark.parametrize("brand", [b"heic", b"heix", b"mif1", b"hevc"])
def test_photo_that_only_some_phones_can_draw_is_recognised(brand: bytes) -> None:
    assert refusal(b"\0\0\0\x18ftyp" + brand + bytes(4) + b"mif1heic" + bytes(200)) == "heic"
    assert refusal(b"\0\0\0\x18ftypmp42" + bytes(200)) == "no_picture"


def png_head(width: int, height: int) -> bytes:
    """Return a PNG that gives its size, and then ends."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    return b"\x89PNG\r\n\x1a\n" + chunks + struct.pack(">I", 0) + b"IDAT" + bytes(4)


def test_too_many_pixels_are_refused_before_they_are_read() -> None:
    """Such a file contains no pixel: read to its end, it would be damaged."""
    most = MOST_PIXELS["PNG"] // 1000
    assert refusal(png_head(1000, most)) == "damaged"
    assert refusal(png_head(1000, most + 1)) == "too_many_pixels"
    assert refusal(png_head(2**31 - 1, 2**31 - 1)) == "too_many_pixels"
    gif = encoded(Image.new("P", (9, 9)), "GIF")
    assert refusal(gif[:6] + b"\xff\xff\xff\xff" + gif[10:]) == "too_many_pixels"
    jpeg = encoded(Image.new("L", (9, 9)), "JPEG")
    frame = jpeg.index(b"\xff\xc0")
    assert refusal(jpeg[: frame + 5] + b"\xff\xff\xff\xff" + jpeg[frame + 9 :]) == "too_many_pixels"


def slow_png(pixels: int) -> bytes:
    """Return the slowest PNG with this many pixels: sixteen bits of four colours, in seven passes,
    each byte computed from three others. It is small.
    """
    side = int(pixels**0.5)
    squeezed, data = zlib.compressobj(9), b""
    for left, top, across, down in (
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ):
        row = b"\x04" + bytes(8 * ((side - left + across - 1) // across))
        for _row in range((side - top + down - 1) // down):
            data += squeezed.compress(row)
    data += squeezed.flush()
    parts = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 6, 0, 0, 1)), (b"IDAT", data)]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in (*parts, (b"IEND", b""))
    )


@pytest.mark.long
def test_slowest_accepted_picture_is_decoded_in_time() -> None:
    content = slow_png(MOST_PIXELS["PNG"])
    assert len(content) < 300_000
    assert len(decode(content, "alice").files) == len(SIZES)


def test_compressed_text_bomb_is_refused() -> None:
    """Sixty megabytes of comment in a few kilobytes."""
    text = b"zTXtComment\0\0" + zlib.compress(bytes(60_000_000), 9)
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    plain = encoded(Image.new("L", (9, 9)), "PNG")
    end = plain.index(b"IDAT") - 4
    assert refusal(plain[:end] + chunk + plain[end:]) == "damaged"
