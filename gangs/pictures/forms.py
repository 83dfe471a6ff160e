"""The form that takes a portrait or a badge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from common.forms import helper
from common.turns import Busy
from gangs.pictures import storage as pictures_storage
from gangs.pictures.decoder import Unfit
from gangs.pictures.storage import BIGGEST_FILE, Decoded

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

UNFIT: Mapping[str, Promise] = {
    "too_big": gettext_lazy("The file is too large: at most 8 megabytes."),
    "no_picture": gettext_lazy("This is not a JPEG, PNG, WebP or GIF picture."),
    "too_many_pixels": gettext_lazy("The picture has too many pixels: at most 40 million."),
    "damaged": gettext_lazy("The picture is damaged."),
    "busy": gettext_lazy("Many pictures are arriving just now. Try again in a minute."),
}


class PictureField(forms.FileField):
    """Takes a file, gives the picture that is in it."""

    def to_python(self, data: UploadedFile[bytes] | None) -> Decoded | None:  # type: ignore[override]
        """The picture. Raises ValidationError."""
        file = super().to_python(data)
        if file is None:
            return None
        if file.size is None or file.size > BIGGEST_FILE:
            raise forms.ValidationError(str(UNFIT["too_big"]))
        try:
            return pictures_storage.decode(file.read())
        except Unfit as unfit:
            raise forms.ValidationError(str(UNFIT[unfit.code])) from None
        except Busy:
            raise forms.ValidationError(str(UNFIT["busy"])) from None


class PictureForm(forms.Form):
    """A file with a picture in it."""

    picture = PictureField(
        label=gettext_lazy("Picture"),
        help_text=gettext_lazy(
            "JPEG, PNG, WebP or GIF, at most 8 megabytes. Cropped to a square; location data is"
            " removed."
        ),
        widget=forms.ClearableFileInput(
            attrs={"accept": "image/jpeg,image/png,image/webp,image/gif"}
        ),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.helper = helper()
