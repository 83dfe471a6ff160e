"""Acts of administrators on variants, players' own games, games and nights."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from accounts.models import User
from administration.acts.hiding import make_hiding, make_renaming
from administration.acts.kinds import Acts
from administration.acts.texts import make_text_acts, title_of
from administration.models import Act
from campaigns.models import Game, Night
from rules.models import BookDraft, Variant
from rules.variants import store

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
GAME_ACTS: Acts[Game] = Acts(
    Act.Subject.GAME,
    lambda game: title_of(game.sides.all()),
    make_text_acts(Act.Subject.GAME, Game),
)
NIGHT_ACTS: Acts[Night] = Acts(
    Act.Subject.NIGHT,
    lambda night: f"{night.campaign}, {night.starts_at:%Y-%m-%d}",
    make_text_acts(Act.Subject.NIGHT, Night),
)
