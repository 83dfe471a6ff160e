"""Acts of administrators on variants, players' own games, games and nights."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.notices import notify
from administration.acts.hiding import TOLD_AUTHOR, make_hiding, make_renaming
from administration.acts.kinds import ActKind, Acts, ReasonForm, Values
from administration.acts.texts import make_text_acts, title_of
from administration.models import Act
from campaigns.games import photos as game_photos
from campaigns.models import Game, Night, Photo
from common.forms import set_choices
from rules.editor import store
from rules.models import BookDraft, Variant

EFFECT = gettext_lazy(
    "Only its owner and the people who already play by it can open its rules. Nobody can found a"
    " gang or start a campaign with it."
)


def _rename_variant(variant: Variant, part: str, name: str, by: User) -> str:
    before = variant.name
    store.rename(variant, name, expected_version=variant.draft_version)
    return before


VARIANT_ACTS: Acts[Variant] = Acts(
    Act.Subject.VARIANT,
    str,
    (
        *make_hiding(
            Act.Subject.VARIANT,
            lambda variant: [variant.owner],
            Variant.get_absolute_url,
            (EFFECT,),
        ),
        *make_renaming(
            Act.Subject.VARIANT,
            lambda variant, part: variant.name,
            _rename_variant,
            lambda variant: [variant.owner],
            Variant.get_absolute_url,
            warnings=(
                gettext_lazy(
                    "Published versions keep the name that they were published under: hide the"
                    " variant, too, if nobody may read it."
                ),
            ),
        ),
    ),
)
DRAFT_ACTS: Acts[BookDraft] = Acts(
    Act.Subject.DRAFT,
    str,
    make_hiding(
        Act.Subject.DRAFT, lambda draft: [draft.owner], BookDraft.get_absolute_url, (EFFECT,)
    ),
)


class PhotosForm(ReasonForm):
    """A selection of a game's photos that are shown."""

    photos = forms.MultipleChoiceField(
        label=gettext_lazy("Which photos?"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, subject: Game, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        shown = subject.photos.shown()
        set_choices(self, "photos", [(str(photo.pk), photo.label) for photo in shown])
        self.order_fields(["photos"])


def _hide_photos(game: Game, by: User, data: Values, reason: str) -> Values:
    found = game_photos.hide(game, data["photos"], reason)
    _tell_uploaders(game, found, by, "pictures_hidden", reason)
    return {"count": len(found)}


def _show_photos(game: Game, by: User, data: Values, reason: str) -> Values:
    found = game_photos.show_hidden(game)
    _tell_uploaders(game, found, by, "pictures_shown", reason)
    return {"count": len(found)}


def _remove_photos(game: Game, by: User, data: Values, reason: str) -> Values:
    found = list(game.photos.select_related("by").filter(pk__in=data["photos"]))
    for photo in found:
        photo.delete()
    _tell_uploaders(game, found, by, "pictures_taken_down", reason)
    return {"count": len(found)}


def _tell_uploaders(game: Game, found: list[Photo], by: User, kind: str, reason: str) -> None:
    people = list(dict.fromkeys(photo.by for photo in found))
    values = {"gang": title_of(game), "reason": reason}
    notify(people, kind, values, game.get_absolute_url(), except_for=by)


GAME_ACTS: Acts[Game] = Acts(
    Act.Subject.GAME,
    title_of,
    (
        *make_text_acts(Act.Subject.GAME, Game),
        ActKind(
            "hide-photos",
            gettext_lazy("Hide photos"),
            gettext_lazy("%(by)s hid %(count)s photos of the game %(subject)s."),
            _hide_photos,
            lambda game, by: game.photos.shown().exists(),
            warnings=(
                gettext_lazy("No page shows them, not even to their uploader. Their files stay."),
                TOLD_AUTHOR,
            ),
            form=PhotosForm,
            icon="image",
            is_dangerous=True,
        ),
        ActKind(
            "show-photos",
            gettext_lazy("Show the photos again"),
            gettext_lazy("%(by)s showed %(count)s photos of the game %(subject)s again."),
            _show_photos,
            lambda game, by: game.photos.exclude(hidden_why="").exists(),
            icon="arrow-counterclockwise",
            undoes=True,
        ),
        ActKind(
            "remove-photos",
            gettext_lazy("Remove photos"),
            gettext_lazy("%(by)s removed %(count)s photos of the game %(subject)s."),
            _remove_photos,
            lambda game, by: game.photos.shown().exists(),
            warnings=(gettext_lazy("Their files are deleted."), TOLD_AUTHOR),
            form=PhotosForm,
            icon="trash",
            is_dangerous=True,
        ),
    ),
)
NIGHT_ACTS: Acts[Night] = Acts(
    Act.Subject.NIGHT,
    lambda night: f"{night.campaign}, {night.starts_at:%Y-%m-%d}",
    make_text_acts(Act.Subject.NIGHT, Night),
)
