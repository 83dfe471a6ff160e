"""Makes a game of the catalogues of army builders; pure.

``guess_answers`` suggests what no file says: which cost is money, which profile is a member's,
which entries are records of a campaign. ``make_game`` makes the rulebook's data by an author's
answers, with notes about all that is not exact.
"""

from rules.catalogues.mapping.game import make_game as make_game
from rules.catalogues.mapping.guessing import guess_answers as guess_answers
