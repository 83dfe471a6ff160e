"""Notes and tales: found in their subject, taken off its pages, and put back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import F
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from accounts.models import User
from accounts.notices import notify
from administration.acts.hiding import TOLD_AUTHOR
from administration.acts.kinds import ActKind, ReasonForm, Values
from administration.models import Act, HiddenText
from campaigns.models import Campaign, Claim, Game, Night, Side
from common.errors import Refusal, Stale
from common.forms import set_choices
from gangs.engine import entries as kinds
from gangs.engine.errors import Misfit
from gangs.ledger import writer
from gangs.models import Gang, Strike
from gangs.text.formats import shown_name

# Sentences of the record: of an act and of the one that undoes it.
HIDING: Mapping[Act.Subject, tuple[Promise, Promise]] = {
    Act.Subject.GANG: (
        gettext_lazy("%(by)s hid texts of the gang %(subject)s: %(count)s."),
        gettext_lazy("%(by)s showed texts of the gang %(subject)s again: %(count)s."),
    ),
    Act.Subject.CAMPAIGN: (
        gettext_lazy("%(by)s hid the note of the campaign %(subject)s: %(count)s."),
        gettext_lazy("%(by)s showed the note of the campaign %(subject)s again: %(count)s."),
    ),
    Act.Subject.GAME: (
        gettext_lazy("%(by)s hid texts of the game %(subject)s: %(count)s."),
        gettext_lazy("%(by)s showed texts of the game %(subject)s again: %(count)s."),
    ),
    Act.Subject.NIGHT: (
        gettext_lazy("%(by)s hid the note of the night %(subject)s: %(count)s."),
        gettext_lazy("%(by)s showed the note of the night %(subject)s again: %(count)s."),
    ),
}

type Subject = Gang | Campaign | Game | Night
# Characters of a text that a form shows.
SHOWN = 200
# A subject's own note in a form, where "" would be no choice.
OWN = "own"


@dataclass(frozen=True)
class Text:
    """A note or a tale. ``place``: as in HiddenText; ``about``: the name of the thing it is about;
    ``authors``: its author, or else those who answer for it."""

    place: str
    label: str
    about: str
    text: str
    authors: tuple[User, ...] = ()


def texts_of(subject: Subject) -> list[Text]:
    """Return the subject's texts that are not empty."""
    return [text for text in _texts(subject) if text.text]


def _texts(subject: Subject) -> Iterable[Text]:
    note = gettext("Note")
    match subject:
        case Gang():
            owners = tuple(filter(None, [subject.owner]))
            roster = subject.roster
            yield Text("", note, subject.name, roster.notes, owners)
            for member in roster.members:
                name = shown_name(subject.book, member)
                label = gettext("Note about %(name)s") % {"name": name}
                yield Text(str(member.id), label, f"{name} ({subject.name})", member.notes, owners)
        case Campaign():
            yield Text("", note, subject.name, subject.notes, tuple(subject.organisers))
        case Night():
            name = subject.campaign.name
            yield Text("", note, name, subject.note, tuple(subject.campaign.organisers))
        case Game():
            writer_of_note = tuple(filter(None, [subject.reported_by]))
            sides = list(subject.sides.select_related("gang__owner"))
            name = title_of(subject)
            organisers = tuple(subject.campaign.organisers)
            yield Text("", note, name, subject.note, writer_of_note or organisers)
            for side in sides:
                label = gettext("The tale of %(gang)s") % {"gang": side.name}
                owner = side.gang.owner if side.gang is not None else None
                yield Text(str(side.pk), label, side.name, side.tale, tuple(filter(None, [owner])))


def title_of(game: Game) -> str:
    """Return a game's name: its sides'."""
    return game.campaign.book.who_plays.title(side.name for side in game.sides.all())


def field_of(subject: Subject) -> dict[str, Subject]:
    """Return the column of HiddenText that names this subject."""
    return {subject._meta.model_name or "": subject}


def hidden_texts(subject: Subject) -> list[HiddenText]:
    """Return the subject's hidden texts."""
    return list(HiddenText.objects.filter(**field_of(subject)))


def hide_texts(subject: Subject, places: Collection[str], by: User, reason: str) -> int:
    """Hide some of the subject's texts, and notify their authors; return the number of texts.

    Raises Stale if one has changed meanwhile.
    """
    chosen = [text for text in texts_of(subject) if text.place in places]
    for text in chosen:
        rest = _take(subject, text, by, reason)
        author = text.authors[0] if len(text.authors) == 1 else None
        HiddenText.objects.create(
            **field_of(subject),
            place=text.place,
            about=text.about[:180],
            text=text.text,
            rest=rest,
            author=author,
            reason=reason,
        )
        values = {"name": text.about, "reason": reason}
        notify(text.authors, "text_hidden", values, subject.get_absolute_url(), except_for=by)
    return len(chosen)


def show_texts(subject: Subject, by: User) -> int:
    """Put the subject's hidden texts back and notify their authors; return the number of texts.

    A text stays hidden if its author has written another one in its place. Raises Stale if none
    can be put back.
    """
    present = {text.place for text in texts_of(subject)}
    authors = {text.place: text.authors for text in _texts(subject)}
    count = 0
    for hidden in hidden_texts(subject):
        readers = authors.get(hidden.place)
        if hidden.place in present or readers is None or not _put_back(subject, hidden, by):
            continue
        hidden.delete()
        count += 1
        values = {"name": hidden.about}
        notify(readers, "text_shown", values, subject.get_absolute_url(), except_for=by)
    if not count:
        raise Stale
    return count


def _take(subject: Subject, text: Text, by: User, reason: str) -> dict[str, Any]:
    """Take a text off its pages; return the facts needed to put it back, as ``HiddenText.rest``."""
    if isinstance(subject, Gang):
        return {"strike": _strike_notes(subject, text.place, by, reason)}
    if isinstance(subject, Game) and not text.place:
        # Each claim has the note, too, and a later confirmation would bring it back.
        claims = [row for row in subject.claims.all() if _note_of(row) == text.text]
        for row in claims:
            _write_claim(row, "")
        _write(subject, text.place, text.text, "")
        return {"claims": [row.pk for row in claims]}
    _write(subject, text.place, text.text, "")
    return {}


def _put_back(subject: Subject, hidden: HiddenText, by: User) -> bool:
    """Put a text back in its empty place; return whether that was possible."""
    if isinstance(subject, Gang):
        act = Strike.objects.filter(gang=subject, pk=hidden.rest.get("strike")).first()
        if act is None:
            return False
        try:
            writer.revise(subject, undoes=act, expected_version=subject.version, actor=by)
        except (Refusal, Misfit):
            # Its owner has undone it in the history, or a later correction builds on it.
            return False
        return True
    for row in Claim.objects.filter(game__pk=subject.pk, pk__in=hidden.rest.get("claims", [])):
        if not _note_of(row):
            _write_claim(row, hidden.text)
    _write(subject, hidden.place, "", hidden.text)
    return True


def _strike_notes(gang: Gang, place: str, by: User, reason: str) -> int:
    """Strike the entries that note something about a member, or the gang, at any time; return the
    correction's key. Sheets of the past lose the note, too."""
    member = int(place) if place else None
    rows = gang.entries.live().filter(kind=kinds.Noted.kind).values_list("seq", "data")
    seqs = [seq for seq, data in rows if data.get("member") == member]
    act = writer.revise(gang, strike=seqs, expected_version=gang.version, actor=by, reason=reason)
    return act.pk


def _write(subject: Campaign | Game | Night, place: str, before: str, after: str) -> None:
    """Replace one text by another. Raises Stale if it is not the one before."""
    if place:
        found = Side.objects.filter(game=subject.pk, pk=int(place), tale=before)
        changed = found.update(tale=after)
    else:
        name = "notes" if isinstance(subject, Campaign) else "note"
        rows = type(subject)._default_manager.filter(pk=subject.pk, **{name: before})
        changed = rows.update(**{name: after, "version": F("version") + 1})
    if not changed:
        raise Stale


def _note_of(claim: Claim) -> str:
    account = claim.data.get("account")
    return str(account.get("note", "")) if isinstance(account, dict) else ""


def _write_claim(claim: Claim, note: str) -> None:
    data = {**claim.data, "account": {**claim.data["account"], "note": note}}
    Claim.objects.filter(pk=claim.pk).update(data=data)


class TextsForm(ReasonForm):
    """A choice of a subject's texts."""

    texts = forms.MultipleChoiceField(
        label=gettext_lazy("Which texts?"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, subject: Subject, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        found = texts_of(subject)
        choices = []
        for text in found:
            words = " ".join(text.text.split())
            short = words if len(words) <= SHOWN else f"{words[:SHOWN]}…"
            choices.append((text.place or OWN, f"{text.label}: {short}"))
        set_choices(self, "texts", choices)
        if len(found) == 1:
            self.initial["texts"] = [found[0].place or OWN]
        self.order_fields(["texts"])


def make_text_acts[S: (Gang, Campaign, Game, Night)](
    sort: Act.Subject, _model: type[S]
) -> tuple[ActKind[S], ActKind[S]]:
    """Return the acts that hide some of a subject's texts, and show all of them again."""

    def hide(subject: S, by: User, data: Values, reason: str) -> Values:
        places = ["" if place == OWN else place for place in data["texts"]]
        return {"count": hide_texts(subject, places, by, reason)}

    def show(subject: S, by: User, data: Values, reason: str) -> Values:
        return {"count": show_texts(subject, by)}

    return (
        ActKind(
            "hide-texts",
            gettext_lazy("Hide texts"),
            HIDING[sort][0],
            hide,
            lambda subject, by: bool(texts_of(subject)),
            warnings=(
                gettext_lazy("They disappear from all pages, prints, feeds and files."),
                TOLD_AUTHOR,
            ),
            form=TextsForm,
            icon="eye",
            is_dangerous=True,
        ),
        ActKind(
            "show-texts",
            gettext_lazy("Show the texts again"),
            HIDING[sort][1],
            show,
            lambda subject, by: bool(hidden_texts(subject)),
            icon="arrow-counterclockwise",
            undoes=True,
        ),
    )
