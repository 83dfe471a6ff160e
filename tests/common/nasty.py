"""Texts that once broke something, or could."""

from __future__ import annotations

NASTY: dict[str, str] = {
    "nul": "a\x00b",
    "controls": "a\x01\x08\x0b\x1b\x7f\x80\x9fb",
    "only controls": "\x01\x02",
    "lines": "a\r\nb\rc\nd\u2028e\u2029f\x85g\x0bh",
    "tabs and blanks": "\t a \u00a0 b\u3000 ",
    "turned round": "a\u202ednuor\u202c b",
    "isolated": "\u2066a\u2069",
    "direction marks": "\u200ea\u200f\u061c",
    "only direction marks": "\u202e\u2067",
    "no characters": "a\ufffe\uffff\ufdd0\U0001fffe\U0010ffffb",
    "only no character": "\uffff",
    "half a letter": "a\ud83db\udc00",
    "unseen": "\u200b\u2060\ufeff",
    "blank as braille": "\u2800\u3164",
    "joiners": "\u200d\u200c",
    "decomposed": "Zoe\u0301 A\u030a",
    "longer when composed": "\u0958" * 30,
    "private": "\ue0007\ue001",
    "emoji": "👩‍🚀🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "stacked": "a" + "\u0301" * 70,
    "markup": "</script><b>&amp;]]>",
    "a name": "Zoé d’Œuvre",
}
