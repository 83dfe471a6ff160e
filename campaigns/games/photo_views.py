"""Pages of a game's photos: adding, removing and showing them."""

from __future__ import annotations

import uuid

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns import text as campaign_text
from campaigns.access import game_or_404, open_to_spectators, readable_games
from campaigns.games import photos
from campaigns.models import Game, Photo
from common.forms import INVALID, OK, FilesField, FilesInput, NameField, require_safe_or_post
from common.text import quote
from gangs.pictures import storage
from gangs.pictures.forms import ACCEPTED, PictureForm
from gangs.pictures.storage import Decoded
from gangs.pictures.views import AGAIN, UNAVAILABLE, jpeg_response


class PhotoForm(PictureForm):
    """The upload of photos of a game, with a caption for all of them.

    A file that cannot be opened does not stop the others, since a browser forgets its files when a
    form comes back: ``opened`` has the others, in order.
    """

    picture = FilesField(
        label=gettext_lazy("Photos"),
        help_text=gettext_lazy(
            "JPEG, PNG, WebP or GIF, at most 16 megabytes each. Location data is removed."
        ),
        widget=FilesInput(attrs={"accept": ACCEPTED, "data-photos": "several"}),
    )
    caption = NameField(
        label=gettext_lazy("What do they show?"),
        required=False,
        max_length=200,
        help_text=gettext_lazy(
            "Shown below the photos, and read out to people who do not see them."
        ),
    )

    def __init__(self, account: int, *args: object, **options: object) -> None:
        super().__init__(account, *args, **options)
        self.opened: list[Decoded] = []

    def clean_picture(self) -> list[Decoded]:
        """Return the photos in the files. Raises ValidationError with the name of each file that
        cannot be opened."""
        files = self.cleaned_data["picture"]
        if len(files) > photos.MOST:
            raise forms.ValidationError(
                _("A game has room for %(most)d photos. Choose fewer.") % {"most": photos.MOST}
            )
        errors: list[forms.ValidationError] = []
        for file in files:
            try:
                self.opened.append(self.open(file))
            except forms.ValidationError as error:
                said = f"{quote(file.name)}: {error.message}" if len(files) > 1 else error.message
                errors.append(forms.ValidationError(said, code=error.code))
        if errors:
            raise forms.ValidationError(errors)
        return self.opened

    def decode(self, content: bytes) -> Decoded:
        """Return the whole of the picture."""
        return storage.decode(content, self.account, is_photo=True)


@require_safe_or_post
def add(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Add photos to a game."""
    game, sides = game_or_404(request, game_id)
    if not photos.may_add(game, sides, request.user):
        raise Http404
    assert request.user.pk is not None
    form, status = PhotoForm(request.user.pk), OK
    if request.method == "POST":
        form, status = PhotoForm(request.user.pk, request.POST, request.FILES), INVALID
        kept = _keep(request, game, form)
        if kept:
            messages.success(
                request,
                ngettext("Photo uploaded.", "%(count)d photos uploaded.", kept) % {"count": kept},
            )
        if not form.errors:
            return redirect(f"{game.get_absolute_url()}#photos")
    context = {
        "game": game,
        "campaign": game.campaign,
        "title": campaign_text.game_title(
            game.campaign.book, campaign_text.side_names(sides).values()
        ),
        "form": form,
        "is_full": game.photos.count() >= photos.MOST,
        "most": photos.MOST,
    }
    if not form.may_work_later:
        return render(request, "campaigns/games/photo.html", context, status=status)
    response = render(request, "campaigns/games/photo.html", context, status=UNAVAILABLE)
    response["Retry-After"] = str(AGAIN)
    return response


def _keep(request: Request, game: Game, form: PhotoForm) -> int:
    """Store the photos that could be opened, as far as there is room; the form says what was not
    stored. Return how many were."""
    form.full_clean()
    if form.has_error("caption"):
        return 0
    for stored, picture in enumerate(form.opened):
        try:
            photos.keep(game, request.user, picture, form.cleaned_data["caption"])
        except photos.Full:
            form.add_error("picture", _("This game has no room for more photos. Remove one first."))
            return stored
        except QuotaFull as full:
            form.add_error("picture", quotas.describe(full))
            return stored
        except Game.DoesNotExist:
            raise Http404 from None
    return len(form.opened)


@require_POST
def remove(request: Request, game_id: uuid.UUID, photo_id: uuid.UUID) -> HttpResponse:
    """Remove a photo: by its uploader or an organiser."""
    game, _sides = game_or_404(request, game_id)
    photo = get_object_or_404(Photo.objects.shown(), pk=photo_id, game=game)
    if not photos.may_remove(photo, game, request.user):
        raise Http404
    photo.delete()
    messages.success(request, _("Photo removed."))
    return redirect(f"{game.get_absolute_url()}#photos")


@open_to_spectators
@require_safe
def show(request: Request, game_id: uuid.UUID, size: int, name: str) -> HttpResponse:
    """Return the file of a photo, for readers who may see the game."""
    shown = Photo.objects.shown().filter(game__in=readable_games(request))
    photo = get_object_or_404(shown, game=game_id, name=name)
    return jpeg_response(request, photos.content_of(photo, size), f"{name}-{size}")
