"""The forms of an import: the files, the questions, the name of the game."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any, cast, get_args

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, FilesField, FilesInput, NameField
from rules.catalogues.bounds import BIGGEST_TOGETHER, MOST_FILES
from rules.catalogues.overview import Candidate, CostSummary, FileSummary, Overview, ProfileSummary
from rules.catalogues.results import Answers, Role

MEGABYTE = 1 << 20
# Entries whose roles a form asks for.
MOST_ROLES = 40
PLAIN = ("catalogues", "money", "worth", "member", "life", "with_texts")
ACCEPTED = ".gst,.cat,.gstz,.catz,.bsr,.zip,.json"
ROLES: dict[Role, Promise] = {
    "list": gettext_lazy("a choice like any other"),
    "leader": gettext_lazy("the leader"),
    "experience": gettext_lazy("experience"),
    "promotion": gettext_lazy("a promotion"),
    "rise": gettext_lazy("an improved characteristic, or another advance"),
    "injury": gettext_lazy("an injury"),
    "stash": gettext_lazy("the gang’s stash or money"),
}


class FilesForm(CrispyForm):
    """The catalogues, as files. ``contents`` has each as (name, content) when valid."""

    catalogues = FilesField(
        label=gettext_lazy("Files of the catalogues"),
        help_text=format_lazy(
            gettext_lazy(
                "The game system (.gst) and its catalogues (.cat), all in one go or in a zip; or "
                "New Recruit’s JSON. At most {files} files, {size} MB unpacked."
            ),
            files=MOST_FILES,
            size=BIGGEST_TOGETHER // MEGABYTE,
        ),
        widget=FilesInput(attrs={"accept": ACCEPTED, "multiple": True}),
    )
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.contents: list[tuple[str, bytes]] = []

    def clean_catalogues(self) -> list[UploadedFile[Any]]:
        """Read the files. Raises ValidationError if they are too many or too large."""
        files: list[UploadedFile[Any]] = self.cleaned_data["catalogues"]
        if len(files) > MOST_FILES:
            words = _("Choose at most %(most)d files, or put them into a zip.")
            raise forms.ValidationError(words % {"most": MOST_FILES})
        if sum(file.size or 0 for file in files) > BIGGEST_TOGETHER:
            words = _("The files are larger than %(most)d MB together.")
            raise forms.ValidationError(words % {"most": BIGGEST_TOGETHER // MEGABYTE})
        self.contents = [(str(file.name), file.read()) for file in files]
        return files


def _choices(
    found: Iterable[FileSummary | CostSummary | ProfileSummary],
) -> list[tuple[str, str]]:
    return [(one.id, one.name or one.id) for one in found]


def _list_candidates(overview: Overview, answers: Answers) -> list[Candidate]:
    """Return the entries whose roles the form asks for: those that have one, or had one, and a few
    of the others."""
    known = [one for one in overview.candidates if one.id in answers.roles]
    others = [one for one in overview.candidates if one.id not in answers.roles]
    return [*known, *others[: max(0, MOST_ROLES - len(known))]]


class AnswersForm(CrispyForm):
    """The questions about a game's catalogues. ``answers`` has the answers when valid."""

    catalogues = forms.MultipleChoiceField(
        label=gettext_lazy("Catalogues to bring"),
        help_text=gettext_lazy("Usually each is a faction. Libraries that they use come along."),
        widget=forms.CheckboxSelectMultiple,
    )
    money = forms.ChoiceField(
        label=gettext_lazy("What recruits and equipment are paid with"), required=False
    )
    worth = forms.ChoiceField(
        label=gettext_lazy("What a gang’s rating adds up"),
        required=False,
        help_text=gettext_lazy("Usually the same."),
    )
    member = forms.ChoiceField(
        label=gettext_lazy("The profile of a fighter"),
        required=False,
        help_text=gettext_lazy("The row of characteristics on a fighter’s card."),
    )
    life = forms.ChoiceField(
        label=gettext_lazy("The characteristic that is ticked off"),
        required=False,
        help_text=gettext_lazy("Wounds, hit points … “None” if fighters go out of action at once."),
    )
    with_texts = forms.TypedChoiceField(
        label=gettext_lazy("Texts of rules"),
        choices=[
            (1, gettext_lazy("Bring them along")),
            (0, gettext_lazy("Names, numbers and pages only")),
        ],
        coerce=lambda value: value == "1",
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Catalogues often quote a rulebook. Leave the texts out if you want to share the game."
        ),
    )

    other = NameField(
        label=gettext_lazy("Another entry, by its name"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"list": "entries"}),
    )
    other_role = forms.ChoiceField(label=gettext_lazy("Its role"), required=False)

    def __init__(self, *args: Any, overview: Overview, answers: Answers, **options: Any) -> None:
        """``answers``: those of the present preview."""
        super().__init__(*args, **options)
        self.overview, self.guessed = overview, answers.roles.keys()
        self.language = answers.language
        self.candidates = _list_candidates(overview, answers)
        # The overview leaves out entries beyond its limit: their roles stay.
        known = {one.id for one in overview.candidates}
        self.others = {key: role for key, role in answers.roles.items() if key not in known}
        asked = [one for one in overview.catalogues if not one.is_library] or overview.catalogues
        self._choose("catalogues", _choices(asked), list(answers.catalogues))
        none = [("", _("None"))]
        costs = none + _choices(overview.costs)
        self._choose("money", costs, answers.money)
        self._choose("worth", costs, answers.worth)
        self._choose("member", none + _choices(overview.profiles), answers.member)
        lives = [(one.name, list(one.characteristics)) for one in overview.profiles]
        self._choose("life", [*none, *lives], answers.life)
        self.fields["with_texts"].initial = int(answers.with_texts)
        for number, one in enumerate(self.candidates):
            self.fields[f"role-{number}"] = forms.ChoiceField(
                label=one.name or one.id,
                choices=[*ROLES.items()],
                required=False,
                initial=answers.roles.get(one.id, "list"),
                help_text=one.catalogue,
            )
        self._choose("other_role", [*ROLES.items()], "list")

    def _choose(self, name: str, choices: list[Any], initial: object) -> None:
        field = cast(forms.ChoiceField, self.fields[name])
        field.choices, field.initial = choices, initial

    def plain_fields(self) -> list[forms.BoundField]:
        """Return the fields that are no roles."""
        return [self[name] for name in PLAIN]

    def role_fields(self) -> list[forms.BoundField]:
        """Return a field for each entry that may have a role."""
        names = [f"role-{number}" for number in range(len(self.candidates))]
        return [self[name] for name in (*names, "other", "other_role")]

    def clean_other(self) -> str:
        """Accept the name of an entry. Raises ValidationError for any other."""
        typed = str(self.cleaned_data["other"])
        if typed and typed not in {one.name for one in self.overview.candidates}:
            words = _("The catalogues have no entry with the name “%(name)s”.")
            raise forms.ValidationError(words % {"name": typed})
        return typed

    @property
    def answers(self) -> Answers:
        """The answers of a valid form."""
        given = self.cleaned_data
        chosen = {one.id: given[f"role-{number}"] for number, one in enumerate(self.candidates)}
        if given["other"]:
            named = [one.id for one in self.overview.candidates if one.name == given["other"]]
            chosen |= dict.fromkeys(named, given["other_role"])
        known = get_args(Role.__value__)
        return Answers(
            catalogues=tuple(given["catalogues"]),
            money=given["money"],
            worth=given["worth"],
            member=given["member"],
            life=given["life"],
            with_texts=given["with_texts"],
            language=self.language,
            # A guess that the author took back stays "list", so that it is not guessed once more.
            roles=self.others
            | {
                key: role
                for key, role in chosen.items()
                if role in known and (role != "list" or key in self.guessed)
            },
        )
