"""English words that are left on a page that should be French."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from django.utils import translation
from playwright.sync_api import Page
from pydantic import BaseModel

from rules.book.vocabulary import Text
from rules.library import shipped_folders
from tests.test_translations import MESSAGES, leftovers
from tests.world.gangs import shipped

# Whatever can be read or is read out, but for what says itself that it is in another language and
# for letters that stand for a picture.
WORDS = """() => {
    const outside = "script, style, template, .face, body [lang]:not([lang|=fr])";
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
VALUE = re.compile(r"\{\w*\}")
# A text of nothing but its values would be like any other.
WORD = re.compile(r"[^\W\d_]{2}")


def said(english: str) -> str:
    """What the page says in French."""
    with translation.override("fr"):
        return translation.gettext(english)


def english_on(page: Page) -> list[str]:
    """The texts of the page that the catalogue or a rulebook has in French, and are not."""
    texts = page.evaluate(WORDS)
    english, french = _rulebooks()
    found = [text for text in texts if english.fullmatch(text)] + leftovers(texts)
    # One word may be French of something else.
    also = {translated for message in MESSAGES for translated in message.french}
    return [text for text in found if text not in also and not french.fullmatch(text)]


@cache
def _rulebooks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """All that rulebooks say in English only, and all that they say in French."""
    pairs = {
        pair for folder in shipped_folders() for pair in _spoken(shipped(folder.name)) if all(pair)
    }
    return (
        _any_of({english for english, french in pairs if english != french}),
        _any_of({french for _, french in pairs}),
    )


def _any_of(texts: set[str]) -> re.Pattern[str]:
    """Any of the texts, with whatever in the places of their values."""
    telling = (" ".join(text.split()) for text in texts if WORD.search(VALUE.sub("", text)))
    written = (".+".join(map(re.escape, VALUE.split(text))) for text in telling)
    return re.compile("|".join(sorted(written)))


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
