"""Portraits and badges: uploaded, shown to readers who may see the gang, and deleted with it."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from PIL import Image

from accounts.models import User
from campaigns.models import Campaign
from common import turns
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pages import deleting
from gangs.pictures import decoder
from gangs.pictures import storage as pictures_storage
from gangs.pictures.decoder import Unfit
from gangs.pictures.storage import LARGE, SMALL, Decoded
from printing.sheets import roster as prints_sheet
from printing.sheets.roster import SheetOrder
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import make_big_gang, make_gang


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """Return the folder of pictures: every test starts without pictures."""
    settings.DATA_DIR = tmp_path
    return tmp_path / "pictures"


def photograph(colour: str = "teal", kind: str = "JPEG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (300, 200), colour).save(out, kind)
    return out.getvalue()


def made(colour: str = "teal") -> Decoded:
    return Decoded(decoder.decode_picture(photograph(colour)))


def upload(content: bytes, name: str = "me.jpg") -> dict[str, Any]:
    return {"picture": SimpleUploadedFile(name, content, content_type="image/jpeg")}


def files(folder: Path) -> set[str]:
    return {file.name for file in folder.glob("*")}


def leader(gang: Gang) -> int:
    return gang.roster.members[0].id


def again(gang: Gang) -> Gang:
    return Gang.objects.get(pk=gang.pk)


def portrait_url(gang: Gang, member: int | None = None) -> str:
    return reverse("gangs:portrait", args=[gang.pk, member or leader(gang)])


def badge_url(gang: Gang) -> str:
    return reverse("gangs:badge", args=[gang.pk])


def small_url(gang: Gang, member: int | None = None) -> str:
    name = pictures_storage.name_of(again(gang), member)
    return reverse("gangs:picture", args=[gang.pk, SMALL, name])


@pytest.fixture
def gang(alice: User) -> Gang:
    return make_gang(alice)


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


# Uploading and removing ----------------------------------------------------------------------


def test_portrait_is_uploaded(hers: Client, gang: Gang, folder: Path) -> None:
    page = hers.get(portrait_url(gang)).content.decode()
    assert 'enctype="multipart/form-data"' in page
    assert "Remove it" not in page
    answer = hers.post(portrait_url(gang), upload(photograph()))
    assert answer.status_code == 302
    assert (
        answer["Location"] == f"{gang.get_absolute_url()}?open={leader(gang)}#member-{leader(gang)}"
    )
    now = again(gang)
    name = pictures_storage.name_of(now, leader(gang))
    for side in (SMALL, LARGE):
        content = pictures_storage.content_of(now, name, side)
        assert content is not None
        with Image.open(io.BytesIO(content)) as image:
            assert (image.format, image.size) == ("JPEG", (side, side))
    assert files(folder) == {f"{name}-{SMALL}.jpg", f"{name}-{LARGE}.jpg"}
    # It does not change the gang, so no other page of it becomes stale.
    assert (now.version, now.changed_at) == (gang.version, gang.changed_at)
    assert "Remove it" in hers.get(portrait_url(gang)).content.decode()


def test_double_click_stores_a_picture_once(hers: Client, gang: Gang, folder: Path) -> None:
    for _ in range(2):
        assert hers.post(badge_url(gang), upload(photograph())).status_code == 302
    assert len(files(folder)) == 2
    assert list(again(gang).pictures) == ["badge"]


def test_new_badge_replaces_the_old_files(
    gang: Gang, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    pictures_storage.keep(gang, None, made("teal"))
    before = files(folder)
    with django_capture_on_commit_callbacks(execute=True):
        pictures_storage.keep(gang, None, made("olive"))
    assert len(files(folder)) == 2
    assert not files(folder) & before


def test_picture_is_removed(
    hers: Client, gang: Gang, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    pictures_storage.keep(gang, leader(gang), made())
    # A second click finds no picture, which is fine.
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            answer = hers.post(portrait_url(gang), {"remove": "1"})
        assert answer.status_code == 302
    assert again(gang).pictures == {}
    assert files(folder) == set()


def test_picture_is_removed_when_its_file_cannot_be_deleted(
    hers: Client,
    gang: Gang,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def refuse(file: Path, missing_ok: bool = False) -> None:
        raise PermissionError(file)

    pictures_storage.keep(gang, None, made())
    monkeypatch.setattr(Path, "unlink", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        answer = hers.post(badge_url(gang), {"remove": "1"})
    assert answer.status_code == 302
    assert again(gang).pictures == {}
    assert "PermissionError" in caplog.text


def test_shared_picture_stays_when_one_of_two_members_removes_it(
    gang: Gang, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    one, other = (member.id for member in gang.roster.members[:2])
    pictures_storage.keep(gang, one, made())
    pictures_storage.keep(gang, other, made())
    assert len(files(folder)) == 2
    with django_capture_on_commit_callbacks(execute=True):
        pictures_storage.remove(gang, one)
    assert set(pictures_storage.files_of(again(gang), [one, other])) == {other}


def test_picture_uploaded_again_is_not_deleted_by_its_removal(
    gang: Gang, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    """Two tabs: one removes the picture that the other uploads."""
    pictures_storage.keep(gang, None, made())
    with django_capture_on_commit_callbacks(execute=True):
        pictures_storage.remove(gang, None)
        pictures_storage.keep(gang, None, made())
    assert len(files(folder)) == 2
    assert set(pictures_storage.files_of(again(gang), [None])) == {None}


@pytest.mark.django_db(transaction=True)
def test_windows_upload_and_remove_pictures_at_the_same_time(folder: Path) -> None:
    """No window loses another's picture, and no name points to a deleted file."""
    alice = User.objects.create_user("alice", password="correct horse battery")
    gang = make_gang(alice)
    one, other, third = (member.id for member in gang.roster.members[:3])
    teal, olive = made(), made("olive")
    start = threading.Barrier(4)

    def window(acts: list[Callable[[Gang], None]]) -> None:
        try:
            mine = again(gang)
            start.wait(120)
            for act in acts * 5:
                act(mine)
        finally:
            connection.close()

    windows: list[list[Callable[[Gang], None]]] = [
        [lambda mine: pictures_storage.keep(mine, one, teal)],
        [lambda mine: pictures_storage.keep(mine, other, olive)],
        [
            lambda mine: pictures_storage.keep(mine, third, teal),
            lambda mine: pictures_storage.remove(mine, third),
        ],
        [
            lambda mine: pictures_storage.keep(mine, None, olive),
            lambda mine: pictures_storage.keep(mine, None, teal),
        ],
    ]
    with ThreadPoolExecutor(len(windows)) as pool:
        list(pool.map(window, windows))
    names = teal.name_for(gang), olive.name_for(gang)
    assert again(gang).pictures == {str(one): names[0], str(other): names[1], "badge": names[0]}
    assert files(folder) == {f"{name}-{size}.jpg" for name in names for size in (SMALL, LARGE)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a JPEG, PNG, WebP or GIF"),
        (photograph()[:400], "damaged"),
        (bytes(pictures_storage.BIGGEST_FILE + 1), "too large"),
    ],
    ids=["empty", "svg", "damaged", "too large"],
)
def test_file_that_is_not_a_picture_is_refused_beside_the_field(
    hers: Client, gang: Gang, folder: Path, content: bytes, said: str
) -> None:
    answer = hers.post(portrait_url(gang), upload(content))
    assert answer.status_code == 422
    page = answer.content.decode()
    feedback = page.partition('id="error_1_id_picture"')[2]
    assert said in feedback[:400]
    assert again(gang).pictures == {}
    assert files(folder) == set()


def test_form_explains_too_many_pixels(
    hers: Client, gang: Gang, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unfit(content: bytes, who: int) -> Decoded:
        raise Unfit("too_many_pixels")

    monkeypatch.setattr(pictures_storage, "decode", unfit)
    page = hers.post(portrait_url(gang), upload(photograph())).content.decode()
    assert "too many pixels: at most 50 million" in page


def test_form_requires_a_file(hers: Client, gang: Gang) -> None:
    answer = hers.post(badge_url(gang))
    assert answer.status_code == 422
    assert "This field is required." in answer.content.decode()


def test_gang_has_a_limited_number_of_pictures(
    hers: Client, gang: Gang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures_storage, "MOST_PICTURES", 1)
    pictures_storage.keep(gang, None, made())
    answer = hers.post(portrait_url(gang), upload(photograph()))
    assert answer.status_code == 422
    assert "no room for more pictures" in answer.content.decode()
    # Replacing a picture adds none.
    assert hers.post(badge_url(gang), upload(photograph("olive"))).status_code == 302


def test_visitor_must_sign_in_to_upload_a_picture(client: Client, gang: Gang) -> None:
    answer = client.post(portrait_url(gang), upload(photograph()))
    assert answer.status_code == 302
    assert "/accounts/login/" in answer["Location"]
    assert again(gang).pictures == {}


def test_only_the_owner_uploads_and_removes_pictures(
    client: Client, gang: Gang, charlie: User
) -> None:
    client.force_login(charlie)
    for url in (portrait_url(gang), badge_url(gang)):
        assert client.post(url, upload(photograph())).status_code == 404
        assert client.post(url, {"remove": "1"}).status_code == 404
    assert again(gang).pictures == {}


# Members and gangs that leave ----------------------------------------------------------------


def test_dismissed_member_keeps_their_portrait(hers: Client, gang: Gang) -> None:
    member = leader(gang)
    pictures_storage.keep(gang, member, made())
    played = kinds.Played(game="1", title="A game", result="draw", side="level", fielded=(member,))
    dismissed = kinds.Dismissed(member=member)
    writer.append(gang, [played, dismissed], expected_version=gang.version, actor=None)
    assert any(gone.member.id == member for gone in again(gang).roster.departed)
    career = hers.get(reverse("gangs:career", args=[gang.pk, member])).content.decode()
    assert pictures_storage.name_of(again(gang), member) in career
    assert hers.get(portrait_url(gang, member)).status_code == 200
    assert hers.post(portrait_url(gang, member), upload(photograph("olive"))).status_code == 302


def test_portrait_of_an_unknown_member_is_refused_in_words(hers: Client, gang: Gang) -> None:
    """The form is for a member whose recruitment was undone in the meantime."""
    assert hers.get(portrait_url(gang, 999)).status_code == 404
    answer = hers.post(portrait_url(gang, 999), upload(photograph()))
    assert answer.status_code == 409
    assert "no longer in the gang" in answer.content.decode()
    assert again(gang).pictures == {}


def test_pictures_are_deleted_with_their_gang(
    gang: Gang, alice: User, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    other = make_gang(alice)
    pictures_storage.keep(gang, None, made())
    pictures_storage.keep(other, None, made())
    with django_capture_on_commit_callbacks(execute=True):
        deleting.delete(gang, actor=alice)
    assert {file.partition("-")[0] for file in files(folder)} == {
        pictures_storage.name_of(other, None)
    }


def test_pictures_are_deleted_when_many_gangs_are_deleted_together(
    gang: Gang, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    pictures_storage.keep(gang, leader(gang), made())
    with django_capture_on_commit_callbacks(execute=True):
        Gang.objects.defer("pictures").filter(pk=gang.pk).delete()
    assert files(folder) == set()


def test_pictures_stay_when_the_gang_has_a_new_owner(client: Client, gang: Gang, bob: User) -> None:
    pictures_storage.keep(gang, None, made())
    Gang.objects.filter(pk=gang.pk).update(owner=bob)
    client.force_login(bob)
    assert client.get(small_url(gang)).status_code == 200
    assert client.post(badge_url(gang), {"remove": "1"}).status_code == 302


def test_files_left_by_a_crash_are_deleted(gang: Gang, folder: Path) -> None:
    pictures_storage.keep(gang, None, made())
    kept = files(folder)
    for name, age in (("0" * 32 + "-96.jpg", 7200), ("tmp1.new", 7200), ("1" * 32 + "-96.jpg", 0)):
        (folder / name).write_bytes(b"left")
        then = (folder / name).stat().st_mtime - age
        os.utime(folder / name, (then, then))
    for file in kept:
        os.utime(folder / file, (0, 0))
    count = pictures_storage.clear_forgotten()
    # A new file may belong to a request that is just keeping it.
    assert files(folder) == kept | {"1" * 32 + "-96.jpg"}
    assert count == 2


# Showing pictures ----------------------------------------------------------------------------


def test_picture_is_cached_by_browsers_for_a_year(hers: Client, gang: Gang) -> None:
    pictures_storage.keep(gang, None, made())
    answer = hers.get(small_url(gang))
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert Image.open(io.BytesIO(answer.content)).size == (SMALL, SMALL)
    known = hers.get(small_url(gang), headers={"if-none-match": answer["ETag"]})
    assert (known.status_code, known.content) == (304, b"")
    pictures_storage.keep(gang, None, made("olive"))
    assert small_url(gang) != answer.wsgi_request.path


def test_gang_serves_only_its_own_pictures_in_the_listed_sizes(
    hers: Client, gang: Gang, alice: User
) -> None:
    other = make_gang(alice)
    pictures_storage.keep(gang, None, made())
    pictures_storage.keep(other, None, made())
    # The same picture is another file in another gang, so nobody learns who else has it.
    name, theirs = pictures_storage.name_of(gang, None), pictures_storage.name_of(other, None)
    assert name != theirs
    for size, asked in ((SMALL, theirs), (97, name), (0, name), (SMALL, "0" * 32)):
        url = reverse("gangs:picture", args=[gang.pk, size, asked])
        assert hers.get(url).status_code == 404, url


def test_picture_names_do_not_lead_out_of_the_folder(
    hers: Client, gang: Gang, folder: Path
) -> None:
    """Not even a row that somebody has tampered with."""
    folder.mkdir()
    (folder.parent / f"secret-{SMALL}.jpg").write_bytes(b"secret")
    gang.pictures = {"badge": "../secret", "1": "/etc/passwd", "2": ""}
    gang.save(update_fields=["pictures"])
    for member in (None, 1, 2, 3):
        assert pictures_storage.name_of(gang, member) == ""
        assert pictures_storage.files_of(gang, [member]) == {}
    for name in ("../secret", "/etc/passwd", ""):
        assert pictures_storage.content_of(gang, name, SMALL) is None
    base = f"{gang.get_absolute_url()}pictures/{SMALL}/"
    for name in ("../secret", "..%2Fsecret", "%2e%2e/secret", ".."):
        assert hers.get(f"{base}{name}.jpg").status_code == 404
    pictures_storage.clear(gang.pk, ["../secret"])
    assert (folder.parent / f"secret-{SMALL}.jpg").exists()


def test_lost_picture_is_not_found(hers: Client, gang: Gang, folder: Path) -> None:
    pictures_storage.keep(gang, None, made())
    for file in folder.iterdir():
        file.unlink()
    assert hers.get(small_url(gang)).status_code == 404
    assert hers.get(gang.get_absolute_url()).status_code == 200
    assert pictures_storage.files_of(again(gang), [None]) == {}


SPOILS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _content: b"",
    "cut off": lambda content: content[:-100],
    "one bit": lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
    "zeros": lambda content: bytes(len(content)),
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_damaged_picture_is_not_found(
    hers: Client, gang: Gang, folder: Path, spoil: Callable[[bytes], bytes]
) -> None:
    """Browsers do not keep the error for a year: the sound picture is seen as soon as it is
    back.
    """
    pictures_storage.keep(gang, None, made())
    url, wanted = small_url(gang), hers.get(small_url(gang)).content
    for file in folder.iterdir():
        file.write_bytes(spoil(file.read_bytes()))
    answer = hers.get(url)
    assert answer.status_code == 404
    assert "max-age=31536000" not in answer.get("Cache-Control", "")
    assert hers.get(gang.get_absolute_url()).status_code == 200
    assert pictures_storage.files_of(again(gang), [None]) == {}
    assert hers.post(badge_url(gang), upload(photograph())).status_code == 302
    assert hers.get(url).content == wanted


def test_pictures_stored_without_a_seal_are_shown(hers: Client, gang: Gang, folder: Path) -> None:
    """They are shown unchanged; a damaged picture is found if that is possible without a seal."""
    pictures_storage.keep(gang, None, picture := made())
    small, large = sorted(folder.iterdir(), key=lambda file: file.stat().st_size)
    small.write_bytes(picture.files[0])
    large.write_bytes(picture.files[1])
    assert hers.get(small_url(gang)).content == picture.files[0]
    assert set(pictures_storage.files_of(again(gang), [None])) == {None}
    small.write_bytes(picture.files[0][:-10])
    large.write_bytes(SPOILS["one bit"](picture.files[1]))
    assert hers.get(small_url(gang)).status_code == 404
    assert pictures_storage.files_of(again(gang), [None]) == {}


def test_shared_link_shows_pictures_until_sharing_is_stopped(client: Client, gang: Gang) -> None:
    pictures_storage.keep(gang, None, made())
    pictures_storage.keep(gang, leader(gang), made("olive"))
    gang = again(gang)
    page = client.get(reverse("gangs:shared", args=[gang.share_key])).content.decode()
    for member, size in ((None, LARGE), (leader(gang), SMALL)):
        name = pictures_storage.name_of(gang, member)
        url = reverse("gangs:shared-picture", args=[gang.share_key, size, name])
        assert url in page
        answer = client.get(url)
        assert (answer.status_code, answer["X-Robots-Tag"]) == (200, "noindex")
        # The link opens the sheet, not the gang's other addresses.
        assert client.get(small_url(gang, member)).status_code == 404
    key, gang.share_key = gang.share_key, None
    gang.save(update_fields=["share_key"])
    url = reverse("gangs:shared-picture", args=[key, SMALL, pictures_storage.name_of(gang, None)])
    assert client.get(url).status_code == 404


def test_campaign_members_see_the_pictures_of_its_gangs(
    gang: Gang, alice: User, bob: User, charlie: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    pictures_storage.keep(gang, None, made())

    def sees(user: User | None, *, watching: bool = False) -> int:
        client = Client()
        if user:
            client.force_login(user)
        if watching:
            client.get(reverse("campaigns:watch", args=[campaign.watch_key]))
        return client.get(small_url(gang)).status_code

    assert [sees(alice), sees(bob), sees(charlie), sees(None)] == [200, 200, 404, 404]
    assert [sees(charlie, watching=True), sees(None, watching=True)] == [200, 200]
    Campaign.objects.update(watch_key="another")
    assert sees(None) == 404


# Pages ---------------------------------------------------------------------------------------


def test_pages_show_pictures_large_only_at_the_head(hers: Client, gang: Gang) -> None:
    pictures_storage.keep(gang, None, made())
    pictures_storage.keep(gang, leader(gang), made("olive"))
    name = pictures_storage.name_of(gang, leader(gang))
    portrait = (
        f'<img class="portrait" src="{gang.get_absolute_url()}pictures/96/{name}.jpg" width="48"'
        ' height="48" alt="Portrait of '
    )
    for page in ("", f"?open={leader(gang)}", "sheet/", f"then/{gang.last_seq}/"):
        shown = hers.get(f"{gang.get_absolute_url()}{page}").content.decode()
        assert portrait in shown, page
        assert 'loading="lazy"' in shown
    badge = pictures_storage.name_of(gang, None)
    home = gang.get_absolute_url()
    for url, size in ((home, LARGE), (f"{home}sheet/", LARGE), ("/gangs/", SMALL)):
        shown = hers.get(url).content.decode()
        assert re.findall(rf"pictures/(\d+)/{badge}\.jpg", shown) == [str(size)], url


@pytest.mark.long
@pytest.mark.parametrize("members", [1, 20])
def test_pictures_cost_no_query(hers: Client, alice: User, members: int) -> None:
    """The gang's row contains the names of its pictures."""
    gang = make_big_gang(alice, members)
    pages = [gang.get_absolute_url(), f"{gang.get_absolute_url()}sheet/", "/gangs/"]

    def counted() -> list[int]:
        found = []
        for page in pages:
            hers.get(page)
            with CaptureQueriesContext(connection) as queries:
                hers.get(page)
            found.append(len(queries))
        return found

    before = counted()
    picture = made()
    for member in (None, *(one.id for one in gang.roster.members)):
        pictures_storage.keep(gang, member, picture)
    assert counted() == before == [3, 3, 6]


def test_sheet_that_was_read_before_shows_the_new_portrait(hers: Client, gang: Gang) -> None:
    url = f"{gang.get_absolute_url()}sheet/"
    assert "Portrait of" not in hers.get(url).content.decode()
    pictures_storage.keep(gang, leader(gang), made())
    assert "Portrait of" in hers.get(url).content.decode()
    pictures_storage.remove(gang, leader(gang))
    assert "Portrait of" not in hers.get(url).content.decode()


@pytest.mark.long
def test_campaign_page_that_was_read_before_shows_the_new_badge(
    client: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    client.force_login(bob)
    url = campaign.get_absolute_url()
    assert "Badge of" not in client.get(url).content.decode()
    pictures_storage.keep(gang, None, made())
    assert small_url(gang) in client.get(url).content.decode()
    assert (
        small_url(gang)
        in client.get(reverse("campaigns:people", args=[campaign.pk])).content.decode()
    )
    pictures_storage.remove(gang, None)
    assert "Badge of" not in client.get(url).content.decode()


def test_name_is_escaped_in_the_alternative_text(hers: Client, gang: Gang) -> None:
    named = kinds.Renamed(name='"><script>alert(1)</script>')
    writer.append(gang, [named], expected_version=gang.version, actor=None)
    pictures_storage.keep(gang, None, made())
    page = hers.get(gang.get_absolute_url()).content.decode()
    assert "Badge of &quot;&gt;&lt;script&gt;" in page


def test_a_new_portrait_changes_the_illustrated_print(gang: Gang) -> None:
    inked, drawn = SheetOrder("en"), SheetOrder("en", style="illustrated")
    before = prints_sheet.key(gang, inked), prints_sheet.key(gang, drawn)
    pictures_storage.keep(gang, leader(gang), made())
    after = prints_sheet.key(again(gang), inked), prints_sheet.key(again(gang), drawn)
    assert before[0] == after[0]
    assert before[1] != after[1]


# The process ---------------------------------------------------------------------------------


def test_process_returns_the_decoder_s_result() -> None:
    assert pictures_storage.decode(photograph(), "alice").files == decoder.decode_picture(
        photograph()
    )
    with pytest.raises(Unfit) as unfit:
        pictures_storage.decode(b"no picture", "alice")
    assert unfit.value.code == "no_picture"


def test_process_limits_its_memory_time_and_disk(tmp_path: Path) -> None:
    """It gives up memory, time and the disk before it looks at a file."""
    program = f"""
import io, resource, runpy, signal, sys
sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
try:
    runpy.run_path({decoder.__file__!r}, run_name="__main__")
except SystemExit as done:
    assert done.code == {decoder.UNFIT}
assert resource.getrlimit(resource.RLIMIT_CPU)[0] == {decoder.LONGEST}
try:
    bytearray({2 * decoder.MOST_MEMORY})
except MemoryError:
    sys.stdout.write(" memory")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    open({str(tmp_path / "written")!r}, "wb", 0).write(b"more")
except OSError:
    sys.stdout.write(" disk")
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"no_picture memory disk"


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        "import os; os.abort()",
        "print('<script>')",
        "import sys; sys.stdout.buffer.write(b'\\0\\0\\0\\x04evil' * 2)",
        "import sys; sys.exit(1)",
    ],
    ids=["hangs", "crashes", "babbles", "makes something else", "fails"],
)
def test_failed_process_means_a_damaged_picture(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wrong.py").write_text(program)
    monkeypatch.setattr(decoder, "__file__", str(tmp_path / "wrong.py"))
    monkeypatch.setattr(pictures_storage, "LONGEST", 3)
    with pytest.raises(Unfit) as unfit:
        pictures_storage.decode(photograph(), "alice")
    assert unfit.value.code == "damaged"


def test_process_does_not_see_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    program = f"import os; open({str(seen)!r}, 'w').write(str(dict(os.environ)))"
    (tmp_path / "spy.py").write_text(program)
    monkeypatch.setattr(decoder, "__file__", str(tmp_path / "spy.py"))
    with pytest.raises(Unfit):
        pictures_storage.decode(photograph(), "alice")
    assert "SECRET_KEY" in os.environ
    assert "SECRET_KEY" not in seen.read_text()


def many_scans() -> bytes:
    """Return a progressive JPEG of a megabyte, each scan of which goes over all of its pixels
    again.
    """
    out = io.BytesIO()
    Image.new("L", (6000, 6000), 128).save(out, "JPEG", progressive=True)
    content = out.getvalue()
    scan = content[content.rindex(b"\xff\xda") : -2]
    return content[:-2] + scan * (1_000_000 // len(scan)) + content[-2:]


@pytest.mark.long
def test_slow_file_is_refused_after_a_limited_time(hers: Client, gang: Gang) -> None:
    slow = many_scans()
    answer = hers.post(badge_url(gang), upload(slow))
    assert answer.status_code == 422
    assert "takes too long to open" in answer.content.decode()
    # A separate process: other children of the test that ended meanwhile would count, too.
    process = subprocess.Popen([sys.executable, "-I", decoder.__file__], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(slow)
    process.stdin.close()
    _, status, spent = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == -signal.SIGXCPU
    assert spent.ru_utime + spent.ru_stime < decoder.LONGEST + 1


DIES = """
import os, signal
left = {count!r}
with open(left) as file:
    deaths = int(file.read())
with open(left, "w") as file:
    file.write(str(deaths - 1))
if deaths > 0:
    os.kill(os.getpid(), signal.SIGKILL)
import runpy
runpy.run_path({decoder!r}, run_name="__main__")
"""


@pytest.mark.parametrize(("deaths", "status"), [(1, 302), (2, 503)])
def test_killed_process_is_tried_once_more_before_the_upload_is_refused(
    hers: Client,
    gang: Gang,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    deaths: int,
    status: int,
) -> None:
    count = tmp_path / "count"
    count.write_text(str(deaths))
    (tmp_path / "dies.py").write_text(DIES.format(count=str(count), decoder=decoder.__file__))
    monkeypatch.setattr(decoder, "__file__", str(tmp_path / "dies.py"))
    answer = hers.post(badge_url(gang), upload(photograph()))
    assert answer.status_code == status
    if status == 503:
        assert answer["Retry-After"] == "60"
        assert "may be short of memory" in answer.content.decode()
        assert hers.post(badge_url(gang), upload(photograph())).status_code == 302


def test_account_with_many_uploads_does_not_block_others(
    hers: Client, gang: Gang, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hers is the next, although two of another account came before; that account's third is
    refused.
    """
    done = tmp_path / "done"
    slow = (
        f"import os, runpy, time\nwhile not os.path.exists({str(done)!r}): time.sleep(0.05)\n"
        f"runpy.run_path({decoder.__file__!r}, run_name='__main__')"
    )
    (tmp_path / "slow.py").write_text(slow)
    monkeypatch.setattr(decoder, "__file__", str(tmp_path / "slow.py"))
    monkeypatch.setattr(turns, "PATIENCE", 600)
    line = pictures_storage._decoding

    def release() -> None:
        while [request.who for request in line._pending][-1] == "mallory":
            time.sleep(0.01)
        done.touch()

    with ThreadPoolExecutor(turns.MOST_OF_ONE + 1) as pool:
        sent = [
            pool.submit(pictures_storage.decode, b"", "mallory") for _ in range(turns.MOST_OF_ONE)
        ]
        while len(line._pending) < turns.MOST_OF_ONE:
            time.sleep(0.01)
        with pytest.raises(turns.Busy):
            pictures_storage.decode(b"", "mallory")
        pool.submit(release)
        answer = hers.post(badge_url(gang), upload(photograph()))
    assert answer.status_code == 302
    assert all(isinstance(one.exception(), Unfit) for one in sent)


def test_upload_is_refused_for_a_minute_when_many_accounts_send_pictures(
    hers: Client, gang: Gang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    with pictures_storage._decoding.one("bob"):
        answer = hers.post(badge_url(gang), upload(photograph()))
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert "Many pictures are arriving just now" in answer.content.decode()


def test_waiting_for_the_decoder_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    with pictures_storage._decoding.one("bob"), pytest.raises(turns.Busy):
        pictures_storage.decode(photograph(), "alice")
    assert pictures_storage.decode(photograph(), "alice") == made()


def test_deleted_gang_stores_no_picture(gang: Gang, folder: Path) -> None:
    missing = Gang(pk=uuid.uuid4())
    with pytest.raises(Gang.DoesNotExist):
        pictures_storage.keep(missing, None, made())
    assert files(folder) == set()
