"""Suggests the answers that no catalogue gives, by names in English, French and German, by costs
and by what modifiers do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from common.wording.texts import FIRST
from rules.catalogues.mapping.game import chosen_catalogues
from rules.catalogues.mapping.library import Library, has_limit
from rules.catalogues.mapping.words import LANGUAGES, LEADER, LIFE, MEMBERS, MONEY, ROLE_WORDS
from rules.catalogues.model import Choice, CostType, Info, Profile, ProfileType, System
from rules.catalogues.results import Answers, Role

# More than one member can have of an honest option.
MANY = 20
# Entries of a group that are looked at.
MOST_INSIDE = 200
MOST_LETTERS = 400_000


def guess_answers(system: System) -> Answers:
    """Suggest an author's answers about a system and its catalogues."""
    library = Library.of(system)
    money = _guess_money(library)
    member = _guess_member(library)
    return Answers(
        catalogues=tuple(one.id for one in chosen_catalogues(system, Answers())),
        money=money,
        worth=money,
        member=member.id if member else "",
        life=_guess_life(member),
        roles=_guess_roles(library, money),
        language=_guess_language(library),
    )


def _guess_money(library: Library) -> str:
    """Return the cost type that most entries have, if its name or limit does not say better."""
    uses: Counter[str] = Counter()
    for choice, _home in library.everywhere():
        for kind, amount in choice.costs:
            uses[kind] += bool(amount)
    types: dict[str, CostType] = {}
    for one in library.catalogues.values():
        for row in one.cost_types:
            types.setdefault(row.id, row)

    def rank(row: CostType) -> tuple[bool, bool, bool, int]:
        is_used = uses[row.id] > 0
        return (
            is_used,
            not row.is_hidden,
            bool(MONEY.search(row.name)) or has_limit(row),
            uses[row.id],
        )

    best = max(types.values(), key=rank, default=None)
    return best.id if best is not None else ""


def _guess_member(library: Library) -> ProfileType | None:
    """Return the type of profiles that members have more than anything else."""
    on_members: Counter[str] = Counter()
    on_others: Counter[str] = Counter()
    for choice, home in library.everywhere():
        node = library.join(choice, home)
        if node is None or node.kind == "group":
            continue
        counted = on_members if node.kind in ("model", "unit") else on_others
        for info, place in node.infos:
            for profile in _profiles_of(library, info, place):
                counted[profile.type_id] += 1
    types = library.profile_types()

    def rank(row: ProfileType) -> tuple[bool, bool, float, int]:
        members, others = on_members[row.id], on_others[row.id]
        share = members / (members + others) if members else 0.0
        is_table = len(row.characteristics) > 2
        return (is_table and members > 0, bool(MEMBERS.search(row.name)), share, members)

    best = max(types.values(), key=rank, default=None)
    return best if best is not None and on_members[best.id] else None


def _profiles_of(library: Library, info: Info, home: str) -> Iterable[Profile]:
    yield from info.profiles
    for link in info.links:
        found = library.find_info(link.target, home) if link.kind == "profile" else None
        if found is not None and isinstance(found[0], Profile):
            yield found[0]


def _guess_life(member: ProfileType | None) -> str:
    if member is None:
        return ""
    return next((key for key, name in member.characteristics if LIFE.match(name.strip())), "")


def _guess_roles(library: Library, money: str) -> dict[str, Role]:
    """Return the roles of entries, groups and categories that their names and shapes give away."""
    roles: dict[str, Role] = {}
    for one in library.catalogues.values():
        for category in one.categories:
            role = _role_of_name(category.name)
            if role is not None:
                roles.setdefault(category.id, role)
            elif LEADER.search(category.name):
                roles.setdefault(category.id, "leader")
    has_leaders = "leader" in roles.values()
    for choice, home in library.everywhere():
        if choice.kind in ("entry link", "group link") or choice.id in roles:
            continue
        if choice.kind in ("unit", "model"):
            if not has_leaders and LEADER.search(choice.name):
                roles[choice.id] = "leader"
            continue
        role = _role_of_name(choice.name)
        if role is None and _counts_much(choice) and _is_free(choice, money):
            role = "experience" if re.search(r"exp|xp|erf", choice.name, re.IGNORECASE) else None
        if role is not None and (role == "stash" or _is_free_inside(library, choice, home, money)):
            roles[choice.id] = role
    return roles


def _role_of_name(name: str) -> Role | None:
    return next((role for role, words in ROLE_WORDS if words.match(name.strip())), None)


def _counts_much(choice: Choice) -> bool:
    """Whether a player can select an entry so often that it is a count."""
    most = [row.query.value for row in choice.constraints if row.kind == "max"]
    return any(value.is_finite() and value > MANY for value in most)


def _is_free(choice: Choice, money: str) -> bool:
    return not any(amount for kind, amount in choice.costs if kind == money)


def _is_free_inside(library: Library, choice: Choice, home: str, money: str) -> bool:
    """Whether an entry or group costs no money, with most of what is inside it. Records of a
    campaign are free; gear with such a name is not."""
    ahead, seen, paid, free = [(choice, home)], set[str](), 0, 0
    while ahead and len(seen) < MOST_INSIDE:
        node = library.join(*ahead.pop())
        if node is None or node.id in seen:
            continue
        # Groups may lead to themselves.
        seen.add(node.id)
        if node.kind != "group":
            is_paid = bool(node.costs.get(money))
            paid, free = paid + is_paid, free + (not is_paid)
        ahead += node.children
    return paid <= free


def _guess_language(library: Library) -> str:
    """Return the language whose small words the texts have most."""
    letters, found = 0, Counter[str]()
    for one in library.catalogues.values():
        for info in (one.info, one.shared_info):
            for row in info.rules:
                found.update(re.findall(r"[^\W\d_]+", row.text.lower()[:2_000]))
                letters += len(row.text)
            for profile in info.profiles:
                for cell in profile.characteristics:
                    found.update(re.findall(r"[^\W\d_]+", cell.value.lower()[:2_000]))
                    letters += len(cell.value)
            if letters > MOST_LETTERS:
                break
    for choice, _home in library.everywhere():
        if letters > MOST_LETTERS:
            break
        texts = [choice.name, *(row.text for row in choice.info.rules)]
        for text in texts:
            found.update(re.findall(r"[^\W\d_]+", text.lower()[:2_000]))
            letters += len(text)
    scores = {key: sum(found[word] for word in words) for key, words in LANGUAGES.items()}
    best = max(scores, key=lambda key: (scores[key], key == FIRST))
    return best if scores[best] else FIRST
