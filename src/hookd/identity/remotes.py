"""A remote's address in one spelling, so that two clones of one repository can be recognised as such."""

_PORTS = {"https": "443", "http": "80", "ssh": "22", "git+ssh": "22", "ssh+git": "22", "git": "9418"}
_LONGEST = 2000
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")
_ADDRESS = frozenset("0123456789abcdef:.")


def normalised_remote(url: str) -> str:
    """`host/path` without scheme, user, password, usual port and `.git`.

    Empty for a folder, which is of one machine only, and for whatever is not surely an address.
    """
    if len(url) > _LONGEST or not url.isprintable() or " " in url or "\\" in url:
        return ""
    scheme, separator, rest = url.partition("://")
    if separator:
        authority, _, path = rest.partition("/")
        usual = _PORTS.get(scheme.lower())
    else:
        authority, path = _short_form(url)
        usual = ""  # there is no port in this form
    host = _host(authority, usual) if usual is not None else ""
    path = _path(path)
    return f"{host}/{path}" if host and path else ""


def _short_form(url: str) -> tuple[str, str]:
    """Host and path of `user@host:path`; git takes it for a folder if a slash comes before the colon."""
    before, colon, path = url.partition(":")
    if "[" in before:  # an address of version 6 has colons of its own
        before, colon, path = url.partition("]:")
        before += "]"
    is_drive = len(before) == 1
    is_helper = path.startswith(":")  # `ext::program` and its like
    if not colon or "/" in before or is_drive or is_helper:
        return "", ""
    return before, path


def _host(authority: str, usual_port: str) -> str:
    """Host, and port if it is not the usual one; empty if it is neither a name nor an address."""
    place = authority.rpartition("@")[2].lower()
    if place.startswith("["):
        address, bracket, rest = place[1:].partition("]")
        host, colon, port = f"[{address}]", rest[:1], rest[1:]
        is_host = bool(bracket) and colon in ("", ":") and _ADDRESS.issuperset(address) and ":" in address
    else:
        host, colon, port = place.partition(":")
        host = host.removesuffix(".")
        is_host = _HOST.issuperset(host) and host.strip(".-_") == host != ""
    if not is_host or (colon and not usual_port):
        return ""
    if port in ("", usual_port):
        return host
    is_port = port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536
    return f"{host}:{int(port)}" if is_port else ""


def _path(path: str) -> str:
    """The path from the host's top, as every form of address would have it."""
    path = path.strip("/").removesuffix(".git").rstrip("/")
    parts = path.split("/")
    is_odd = any(part in ("", ".", "..") for part in parts) or any(mark in path for mark in "?#")
    return "" if is_odd else path
