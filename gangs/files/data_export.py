"""The part of gangs in the export of a user's data."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.data_export import File, as_json
from accounts.models import User
from common.downloads import plain_name
from gangs.files.exporting import export_gang
from gangs.models import Gang, StoredEntry, Strike
from gangs.pictures import storage as pictures_storage


def files_of(user: User) -> Iterator[File]:
    """Each gang as a file that can be imported, with its pictures; the marks in the user's list;
    and the user's entries and corrections in other gangs, as an organiser."""
    for key in list(Gang.objects.owned_by(user).order_by("pk").values_list("pk", flat=True)):
        # It may be deleted meanwhile.
        if gang := Gang.objects.filter(pk=key).first():
            yield from _gang(gang)
    yield File("gangs/marks.json", as_json(_marks(user)))
    yield File("gangs/corrections-of-other-gangs.json", as_json(_elsewhere(user)))


def _gang(gang: Gang) -> Iterator[File]:
    folder = f"gangs/{plain_name(gang.name, 'gang')}-{gang.pk.hex[:8]}"
    yield File(f"{folder}/gang.json", export_gang(gang))
    yield from _pictures(gang, folder)


def _pictures(gang: Gang, folder: str) -> Iterator[File]:
    names = {str(member.id): member.name for member in gang.roster.members}
    shown, hidden = pictures_storage.content_of, pictures_storage.hidden_content_of
    for places, read, part in (
        (gang.pictures, shown, "pictures"),
        (gang.hidden_pictures, hidden, "hidden-pictures"),
    ):
        for place, name in sorted(places.items()):
            content = read(gang, name, pictures_storage.LARGE)
            if content is not None:
                # Members who have left keep their pictures.
                called = "-".join(filter(None, [place, plain_name(names.get(place, ""), "")]))
                yield File(f"{folder}/{part}/{called}.jpg", content)


def _marks(user: User) -> list[dict[str, object]]:
    """The stars, templates and archived gangs of the user's list."""
    columns = ("pk", "name", "is_starred", "is_template", "archived_at")
    return list(Gang.objects.owned_by(user).order_by("pk").values(*columns))


def _elsewhere(user: User) -> dict[str, object]:
    corrections = Strike.objects.filter(actor=user).exclude(gang__owner=user)
    entries = StoredEntry.objects.filter(actor=user).exclude(gang__owner=user)
    return {
        "corrections": list(corrections.order_by("pk").values("gang__name", "at", "reason")),
        "entries": list(entries.order_by("pk").values("gang__name", "at", "kind", "data")),
    }
