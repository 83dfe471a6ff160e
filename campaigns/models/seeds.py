"""Seeds of the application's dice, stored with the table or side that throws them."""

from __future__ import annotations

import secrets

from django.db import models

from campaigns.engine.seeds import commitment, seed_of

# The longest word that a player may add to the dice.
LONGEST_WORD = 40


def new_secret() -> str:
    """Make 64 random hexadecimal digits."""
    return secrets.token_hex(32)


class Seeded(models.Model):
    """A table or side for which the application throws dice. ``dice_secret``: the source of its
    seeds, never shown; ``seeds_shown``: the number of seeds that were shown and are no longer used;
    ``draws``: the number of throws from the seed in force."""

    dice_secret = models.CharField(max_length=64, default=new_secret, editable=False)
    seeds_shown = models.IntegerField(default=0)
    draws = models.IntegerField(default=0)

    class Meta:
        abstract = True

    @property
    def place(self) -> str:
        """Distinguishes these throws from the throws of all other tables and sides."""
        return f"{self._meta.model_name} {self.pk}"

    def seed(self, number: int) -> str:
        """One of its seeds, counted from 1. Never show one that is not in ``seeds_shown``."""
        return seed_of(self.dice_secret, number)

    def fingerprint(self, number: int) -> str:
        """The fingerprint of a seed, which may be shown before the seed."""
        return commitment(self.seed(number))

    @property
    def seed_in_force(self) -> int:
        """The number of the current seed."""
        return self.seeds_shown + 1

    @property
    def fingerprint_in_force(self) -> str:
        """The fingerprint of the current seed."""
        return self.fingerprint(self.seed_in_force)


class Drawn(models.Model):
    """A throw from a seed of its table or side: ``seed``, the seed's number; ``number``: of the
    throw, from 1; ``words``: those that the players had chosen. Empty for other dice."""

    seed = models.IntegerField(null=True, blank=True)
    number = models.IntegerField(null=True, blank=True)
    words = models.JSONField(default=list, blank=True)

    class Meta:
        abstract = True
