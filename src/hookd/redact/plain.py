"""Texts that hold no secret beyond doubt, told without loading the kinds.

A daemon's first event waits for whatever its record needs. The kinds take tens of milliseconds to load, even
a regular expression takes some, and most first events say nothing that any kind could match.
"""

_LONGEST = 1000
_LONGEST_WORD = 24
# Shorter words are no tokens unless something says so, and longer ones have digits or capitals.
_SHORTEST_TOKEN = 12
# What assigns, quotes or separates a value, or is part of one.
_SIGNS = ("://", *"=@\"'`~$#?%|<>{}[]\\")
# What says that a value is one, and programs that take one.
_WORDS = (
    *("pass", "pwd", "psw", "_pw", "secret", "token", "tkn", "key", "auth", "cred", "private", "access"),
    *("bearer", "basic", "jwt", "cookie", "login", "signature", "webhook", "contrase", "kennwort", "senha"),
    *("geheim", "parola", "mot de", "curl", "wget", "http", "mysql", "maria", "redis", "ldap", "openssl"),
    *("api", "zip", "7z", "rar", "psk", "begin", "machine", "identified", "mnemonic", "seed", "phrase"),
    *("env ", "arg ", "env\t", "arg\t", "hash", "hook.", "hooks.", "slackhook", "true", "false"),
    *(
        "mongo",
        "sqlcmd",
        "bcp",
        "isql",
        "osql",
        "tsql",
        "sqsh",
        "ipmitool",
        "sqlplus",
        "sqlldr",
        "expdp",
        "impdp",
    ),
    *("net ", "net\t", "lftp", "rabbitmq", "rdp"),
)
# Options that take a password in some program or other: `-pVALUE`, `-u NAME`.
_OPTIONS = frozenset("pPuUakw")


def is_plain(text: str) -> bool:
    """Whether no kind that hookd brings can find anything in the text; False where that is not certain."""
    if len(text) > _LONGEST or not text.isascii():
        return False
    # Loops: every event comes through here, and generators would take twice as long.
    for sign in _SIGNS:
        if sign in text:
            return False
    lowered = text.lower()
    for word in _WORDS:
        if word in lowered:
            return False
    return all(map(_is_plain_word, text.split()))


def _is_plain_word(word: str) -> bool:
    if word[0] == "-" and word[1:2] in _OPTIONS:
        return False
    if len(word) < _SHORTEST_TOKEN:
        return True
    if word[0] == "/":  # a path is as plain as its parts
        return all(map(_is_plain_part, word[1:].split("/")))
    return _is_plain_part(word)


def _is_plain_part(word: str) -> bool:
    if len(word) < _SHORTEST_TOKEN:
        return True
    return len(word) <= _LONGEST_WORD and word == word.lower() and not any(map(str.isdigit, word))
