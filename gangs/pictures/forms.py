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
from gangs.pictures.storage import BIGGEST_FILE, Decoded, Interrupted

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

UNFIT: Mapping[str, Promise] = {
    "too_big": gettext_lazy("The file is too large: at most 16 megabytes."),
    "no_picture": gettext_lazy("This is not a JPEG, PNG, WebP or GIF picture."),
    "heic": gettext_lazy(
        "This is an HEIC photo, which this browser cannot open. Save it as a JPEG, or take a"
        " screenshot of it, and send that. On an iPhone, Settings › Camera › Formats › “Most"
        " Compatible” makes JPEGs from now on."
    ),
    "too_many_pixels": gettext_lazy(
        "The picture has too many pixels: at most 50 million in a JPEG, 16 million otherwise."
    ),
    "too_slow": gettext_lazy(
        "The picture takes too long to open. Save it as a smaller JPEG, and try that."
    ),
    "damaged": gettext_lazy("The picture is damaged."),
}
# Errors of the site, not of the file: the same file may work in a minute.
LATER: Mapping[str, Promise] = {
    "busy": gettext_lazy("Many pictures are arriving just now. Try again in a minute."),
    "interrupted": gettext_lazy(
        "The picture could not be read just now: the site may be short of memory. Try again in a"
        " minute."
    ),
}


# Phones turn their HEIC photos into JPEGs for forms that do not list them.
ACCEPTED = "image/jpeg,image/png,image/webp,image/gif"


class PictureForm(forms.Form):
    """The upload of a picture from an account."""

    picture = forms.FileField(
        label=gettext_lazy("Picture"),
        help_text=gettext_lazy(
            "JPEG, PNG, WebP or GIF, at most 16 megabytes. Cropped to a square; location data is"
            " removed."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ACCEPTED, "data-photos": "one"}),
    )

    def __init__(self, account: int, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.account = account
        self.helper = helper()

    def clean_picture(self) -> Decoded | list[Decoded]:
        """Return the picture in the file, or a list if a form takes several. Raises
        ValidationError."""
        return self.open(self.cleaned_data["picture"])

    def open(self, file: UploadedFile[bytes]) -> Decoded:
        """Return the picture in an uploaded file. Raises ValidationError."""
        if file.size is None or file.size > BIGGEST_FILE:
            raise forms.ValidationError(str(UNFIT["too_big"]))
        try:
            return self.decode(file.read())
        except Unfit as unfit:
            raise forms.ValidationError(str(UNFIT[unfit.code])) from None
        except Busy:
            raise forms.ValidationError(str(LATER["busy"]), code="busy") from None
        except Interrupted:
            raise forms.ValidationError(str(LATER["interrupted"]), code="interrupted") from None

    def decode(self, content: bytes) -> Decoded:
        """Return the picture in an untrusted file. Raises as ``gangs.pictures.storage.decode``."""
        return pictures_storage.decode(content, self.account)

    @property
    def may_work_later(self) -> bool:
        """Whether another try with the same file may succeed."""
        return any(self.has_error("picture", code) for code in LATER)
