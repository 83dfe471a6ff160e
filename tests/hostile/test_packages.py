"""Generated packages: every shape is refused in words or read, for everybody who may upload."""

from __future__ import annotations

import resource
from contextlib import suppress
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from rules.loading.apart import TooLarge, read_files_apart
from rules.loading.reader import BadBook
from rules.models import BookVersion
from rules.packages.archive import BadPackage, unpack
from tests.hostile.packages import SHAPES, package

# Kilobytes that reading a package may add to a process.
MOST_MEMORY = 64_000


@pytest.mark.parametrize("name", SHAPES)
def test_package_of_any_shape_is_unpacked_or_refused(name: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(4):
        content = SHAPES[name](Random(f"unpack {name} {number}"))
        # Making a bomb takes memory, too, so only the first growth by reading counts.
        before = max(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        with suppress(BadPackage):
            unpack(content)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


@pytest.mark.long
@pytest.mark.parametrize("name", SHAPES)
def test_rulebook_in_a_package_is_read_or_refused(name: str) -> None:
    for number in range(3):
        with suppress(BadPackage, BadBook, TooLarge):
            read_files_apart(unpack(SHAPES[name](Random(f"read {name} {number}"))).texts)


@pytest.mark.long
def test_shapes_get_behind_the_check_of_the_zip() -> None:
    """A package that is always refused attacks nothing behind that check."""
    passed = set()
    for name, made in SHAPES.items():
        for number in range(60):
            with suppress(BadPackage):
                unpack(made(Random(f"let in {name} {number}")))
                passed.add(name)
                break
    # The library itself refuses entries that overlap.
    assert passed >= set(SHAPES) - {"bomb", "many_files", "overlap"}


@pytest.mark.long
def test_package_draws_every_shape() -> None:
    assert {package(Random(f"draw {number}"))[1] for number in range(400)} == set(SHAPES)


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("name", SHAPES)
def test_upload_of_any_shape_changes_nothing(client: Client, name: str) -> None:
    client.force_login(User.objects.create_superuser("root", password="correct horse battery"))
    content = SHAPES[name](Random(f"upload {name}"))
    file = SimpleUploadedFile("book.zip", content)
    answer = client.post("/administration/upload/", {"file": file})
    assert answer.status_code in (200, 422)
    assert not BookVersion.objects.exists()
