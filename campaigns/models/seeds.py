"""What the application's dice are drawn from, kept with the table or side that throws them."""

from __future__ import annotations

import secrets

from django.db import models

from campaigns.engine.seeds import commitment, seed_of

# So many letters has a word that a player adds to the dice.
LONGEST_WORD = 40


def new_secret() -> str:
    """Sixty-four hexadecimal digits that nobody knows."""
    return secrets.token_hex(32)


class Seeded(models.Model):
    """Something at which the application throws dice. ``dice_secret``: what its seeds are made of,
    never shown; ``seeds_shown``: how many seeds were shown and are used no more; ``draws``: how
    many throws were drawn from the one in force."""

    dice_secret = models.CharField(max_length=64, default=new_secret, editable=False)
    seeds_shown = models.IntegerField(default=0)
    draws = models.IntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def place(self) -> str:
        """What tells its throws from those of all others."""
        return f"{self._meta.model_name} {self.pk}"

    def seed(self, number: int) -> str:
        """One of its seeds, counted from 1. Only those that were shown are anybody's business."""
        return seed_of(self.dice_secret, number)

    def fingerprint(self, number: int) -> str:
        """What is shown of a seed before."""
        return commitment(self.seed(number))

    @property
    def seed_in_force(self) -> int:
        """The number of the seed that is drawn from now."""
        return self.seeds_shown + 1

    @property
    def fingerprint_in_force(self) -> str:
        """Its fingerprint."""
        return self.fingerprint(self.seed_in_force)


class Drawn(models.Model):
    """A throw that was drawn from a seed: ``seed``, which one of its table or side; ``number``:
    the how-manieth throw from it, from 1 on; ``words``: those that the players had chosen. None of
    it for dice that were not."""

    seed = models.IntegerField(null=True, blank=True)
    number = models.IntegerField(null=True, blank=True)
    words = models.JSONField(default=list, blank=True)

    class Meta:
        abstract = True
