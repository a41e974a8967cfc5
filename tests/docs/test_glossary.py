"""Who searches by a usual word finds hookd's own, and the page about it."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
ROWS = [
    (words.strip(), meaning)
    for words, meaning in re.findall(r"^\| ([^|]+) \| (.+) \|$", PAGE.read_text("utf-8"), re.M)
]

USUAL = """
allow list | allowlist | whitelist | exception | block list | blocklist | deny list | denylist | blacklist
capture | audit log | audit trail | audit mode | dry run | log only | hooks daemon | background service
prompt injection | jailbreak | secrets scanning | secret scanning | DLP | masking | PII | personal data
session memory | long-term memory | knowledge base | notes | embeddings | vector search | semantic search
context injection | additional context | system reminder | permission | permission prompt | approval
sandbox | container | bypass | disable | kill switch | false positive | false negative | guardrails | firewall
policy | rulebook | plugin | handler | matcher | event | fail open | fail closed | workspace trust
verbose | debug | transcript | replay | dashboard | statusline | telemetry | offline | uninstall | backup
retention | GDPR | delete my data | CI | headless | latency | cost | budget | hot reload | human in the loop
""".replace("\n", "|").split("|")
WORDS = sorted({word.strip() for word in USUAL if word.strip()})


def test_the_page_has_its_rows() -> None:
    assert len(ROWS) > 40 and len(WORDS) > 60


@pytest.mark.parametrize("word", WORDS)
def test_a_usual_word_is_found(word: str) -> None:
    """As one of the words of a row, not as a part of another one."""
    rows = [words for words, _ in ROWS if word.lower() in (each.strip().lower() for each in words.split(","))]
    assert len(rows) == 1, f"{word}: {rows}"


@pytest.mark.parametrize(("words", "meaning"), ROWS[1:])
def test_every_row_leads_to_a_page(words: str, meaning: str) -> None:
    """`test_docs.py` sees to it that the pages and their headings are there."""
    assert re.search(r"\]\([\w/-]+\.md(?:#[\w-]+)?\)", meaning), words


def test_no_word_is_in_two_rows() -> None:
    named = [each.strip().lower() for words, _ in ROWS for each in words.split(",")]
    assert sorted(named) == sorted(set(named))


@pytest.mark.parametrize(("words", "meaning"), ROWS[1:])
def test_a_page_that_a_row_leads_to_tells_of_what_it_names(words: str, meaning: str) -> None:
    pages = {PAGE.parent / target for target in re.findall(r"\]\(([\w/-]+\.md)", meaning)}
    text = "\n".join(page.read_text("utf-8") for page in pages)
    for named in re.findall(r"`(hookd [a-z-]+|[a-z]+\.[a-z_]+)(?=[` ])", meaning):
        last = named.rpartition(".")[2]
        assert named in text or re.search(rf"^{last} = ", text, re.M), f"{words}: {named}"
