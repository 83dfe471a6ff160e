"""English words that are left on a page that should be French."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from django.utils import translation
from django.utils.translation import trans_real
from playwright.sync_api import Page
from pydantic import BaseModel

from rules.library import shipped_folders
from rules.vocabulary import Text
from tests.make import shipped

# Whatever can be read or is read out; what says itself that it is in another language is left out.
WORDS = """() => {
    const outside = "script, style, template, body [lang]:not([lang|=fr])";
    const texts = [document.title];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
        if (element.closest(outside)) continue;
        if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
        else if (node === element)
            for (const name of ["aria-label", "title", "placeholder", "alt"])
                if (node.hasAttribute(name)) texts.push(node.getAttribute(name));
    }
    return [...new Set(texts.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean))];
}"""
VALUE = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
# A sentence of little else than its values is like any other.
LEAST_LETTERS = 6


def said(english: str) -> str:
    """What the page says in French."""
    with translation.override("fr"):
        return translation.gettext(english)


def english_on(page: Page) -> list[str]:
    """The texts of the page that the catalogue or a rulebook has in French, and are not."""
    plain, patterns, french = _texts()
    return [
        text
        for text in page.evaluate(WORDS)
        if text not in french
        and (text in plain or any(one.fullmatch(text) for one in patterns))
        and not any(one.fullmatch(text) for one in _french_patterns())
    ]


@cache
def _texts() -> tuple[frozenset[str], tuple[re.Pattern[str], ...], frozenset[str]]:
    everything = (*_catalogue(), *_rulebooks())
    # Some words are the same in both languages.
    french = frozenset(" ".join(other.split()) for _, other in everything)
    pairs = [(one, other) for one, other in everything if one != other]
    plain = frozenset(" ".join(one.split()) for one, _ in pairs if not VALUE.search(one))
    return plain, _patterns(one for one, _ in pairs), french


@cache
def _french_patterns() -> tuple[re.Pattern[str], ...]:
    return _patterns(other for _, other in (*_catalogue(), *_rulebooks()))


def _patterns(texts: Iterator[str]) -> tuple[re.Pattern[str], ...]:
    found = set()
    for text in texts:
        parts = VALUE.split(" ".join(text.split()))
        if len(parts) > 1 and sum(map(str.isalpha, "".join(parts))) >= LEAST_LETTERS:
            found.add(".+".join(re.escape(part) for part in parts))
    return tuple(re.compile(pattern) for pattern in sorted(found))


def _catalogue() -> Iterator[tuple[str, str]]:
    """The site's texts in both languages, and those of what it is made with."""
    for key, text in trans_real.translation("fr")._catalog.items():
        words = key[0] if isinstance(key, tuple) else key
        if words and isinstance(text, str):
            yield words.rpartition("\x04")[2], text


def _rulebooks() -> Iterator[tuple[str, str]]:
    for folder in shipped_folders():
        yield from _spoken(shipped(folder.name))


def _spoken(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Text):
        yield value.en, value.fr
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _spoken(getattr(value, name))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _spoken(one)
    elif isinstance(value, (tuple, list, frozenset)):
        for one in value:
            yield from _spoken(one)
