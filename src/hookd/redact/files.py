"""Files whose content is left out whole: environments, keys, credential stores."""

import re
from collections.abc import Sequence
from fnmatch import fnmatch
from os.path import basename

_NAMES = re.compile(
    r"\.env(?:\..+)?|.+\.env|env\.local|"
    r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?|.+\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|asc|gpg|agekey|kwallet|ovpn|tfvars|tfstate(?:\.backup)?)|"
    r"\.?(?:netrc|_netrc|pgpass|my\.cnf|mylogin\.cnf|npmrc|yarnrc|yarnrc\.yml|pypirc|git-credentials|htpasswd|dockercfg|s3cfg|boto|"
    r"rclone\.conf|vault-token|terraformrc|credentials|dbshell|psql_history)|"
    r"credentials(?:\.(?:json|toml|ya?ml|ini|db|xml|properties|tfrc\.json))?|(?:client_)?secrets?\.(?:json|toml|ya?ml|ini|properties|env)|"
    r"service[-_]?account.*\.json|application_default_credentials\.json|auth\.json|accessTokens\.json|azureProfile\.json|"
    r"master\.key|.+\.keytab|shadow|gshadow|htpasswd|logins\.json|key[34]\.db|Login Data|Cookies|wallet\.dat|kubeconfig|terraform\.rc",
    re.IGNORECASE,
)
_PATHS = re.compile(
    r"(?:^|/)(?:\.aws/(?:credentials|config|sso/.*)|\.docker/config\.json|\.kube/config|\.ssh/(?!known_hosts|config$|authorized_keys).+|"
    r"\.gnupg/.+|\.config/gcloud/.+|\.config/gh/hosts\.yml|\.config/hub|\.config/glab-cli/config\.yml|\.config/(?:doctl|stripe|ngrok|op|hcloud|configstore)/.+|\.azure/.+|\.cargo/credentials(?:\.toml)?|\.gem/credentials|"
    r"\.m2/settings(?:-security)?\.xml|\.gradle/gradle\.properties|\.composer/auth\.json|\.nuget/NuGet\.Config|\.oci/config|"
    r"\.password-store/.+|\.local/share/keyrings/.+|Library/Keychains/.+|\.terraform\.d/credentials\.tfrc\.json|\.claude/\.credentials\.json|"
    r"\.codex/auth\.json|etc/(?:shadow|gshadow|sudoers)|\.config/rclone/rclone\.conf|\.fly/config\.yml|\.vault-token)$",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r".*[._-](?:example|sample|template|dist|tpl|defaults?|schema)s?(?:\.\w+)?|.*\.pub|.*(?:example|sample)\.env",
    re.IGNORECASE,
)


def is_secret_file(path: str, extra: Sequence[str] = (), allowed: Sequence[str] = ()) -> bool:
    """Whether a file's content is left out whole; `extra` and `allowed` are globs over path or name."""
    path = path.replace("\\", "/")
    name = basename(path)
    if _globbed(path, name, allowed):
        return False
    if _globbed(path, name, extra):
        return True
    if _HARMLESS.fullmatch(name):
        return False
    return _NAMES.fullmatch(name) is not None or _PATHS.search(path) is not None


def _globbed(path: str, name: str, globs: Sequence[str]) -> bool:
    return any(fnmatch(name, glob) or fnmatch(path, glob) or fnmatch(path, f"*/{glob}") for glob in globs)
