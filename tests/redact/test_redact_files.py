"""Files whose content is left out whole."""

import pytest

from hookd.redact.files import is_secret_file

SECRET = """
.env .env.local .env.production /app/.env prod.env ~/.aws/credentials /home/u/.aws/config id_rsa id_ed25519
/home/u/.ssh/work server.key tls.pem store.p12 cert.pfx app.jks release.keystore vault.kdbx putty.ppk .netrc
_netrc .pgpass .my.cnf .npmrc .yarnrc.yml .pypirc .git-credentials .htpasswd .dockercfg .docker/config.json
.kube/config kubeconfig .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties
secrets.yaml secrets.toml client_secret.json credentials.json service-account-prod.json
application_default_credentials.json .config/gcloud/access_tokens.db .config/gh/hosts.yml
.azure/accessTokens.json .composer/auth.json auth.json /etc/shadow .vault-token
.terraform.d/credentials.tfrc.json prod.tfvars terraform.tfstate .s3cfg .boto master.key
.gnupg/private-keys-v1.d/A.key .password-store/mail.gpg C:\\Users\\u\\.ssh\\id_rsa .claude/.credentials.json
krb5.keytab .streamlit/secrets.toml terraform.tfstate.backup .ENV Server.PEM
"""
ORDINARY = """
.env.example .env.sample .env.template .env.dist .env.test.example id_rsa.pub id_ed25519.pub .ssh/config
.ssh/known_hosts .ssh/authorized_keys README.md environment.py env.py main.go keys.py secrets.py
credentials.py test_secrets.py package.json config.json settings.xml auth.py token.ts passwords.md
.gitignore .envrc.example docs/credentials.md src/auth/index.ts key.go monkey.txt example.env
secrets.yaml.example
"""


@pytest.mark.parametrize("path", SECRET.split())
def test_a_secret_file(path: str) -> None:
    assert is_secret_file(path)
    assert is_secret_file(f"/some/where/{path.lstrip('/~')}")


@pytest.mark.parametrize("path", ORDINARY.split())
def test_an_ordinary_file(path: str) -> None:
    assert not is_secret_file(path)
    assert not is_secret_file(f"/some/where/{path}")


def test_more_files_by_globs() -> None:
    assert not is_secret_file("notes/pins.txt")
    assert is_secret_file("notes/pins.txt", extra=["pins.*"])
    assert is_secret_file("/p/notes/pins.txt", extra=["notes/*"])
    assert is_secret_file("/p/notes/pins.txt", extra=["/p/notes/*"])
    assert is_secret_file(".env.example", extra=[".env*"])


def test_files_that_are_let_in() -> None:
    assert not is_secret_file("tests/fixtures/server.pem", allowed=["fixtures/*.pem"])
    assert not is_secret_file("server.pem", extra=["*.pem"], allowed=["server.pem"])


def test_strange_paths() -> None:
    for path in ("", "/", ".", "\x00", "\ud800", "a" * 100_000, "../" * 1000):
        assert not is_secret_file(path)
