"""A day of work as a stranger would write it down: 500 events of several projects' kinds, each with a label.

`noise` is what nobody looks for a week later: what builds, installs, linters and watchers print, listings,
status and empty answers. `write`, `edit`, `failure` and `decision` must be kept. `other` may go either way.
"""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

LENGTH = 500


class Happening(NamedTuple):
    """One event: a tool call, a prompt or an answer."""

    label: str
    why: str
    tool: str = ""
    given: dict[str, Any] | None = None
    output: Any = ""
    error: str | None = None
    said: str = ""
    by_person: bool = True


def _shell(why: str, *pairs: tuple[str, str], label: str = "noise") -> list[Happening]:
    return [
        Happening(
            label, why, "Bash", {"command": command}, {"stdout": output, "stderr": "", "interrupted": False}
        )
        for command, output in pairs
    ]


def _failing(why: str, *pairs: tuple[str, str]) -> list[Happening]:
    return [Happening("failure", why, "Bash", {"command": command}, error=error) for command, error in pairs]


INSTALLS = _shell(
    "package install",
    (
        "npm install",
        "added 214 packages, and audited 215 packages in 6s\n31 packages are looking for funding",
    ),
    ("npm ci --no-audit", "added 1312 packages in 21s"),
    ("cd web && npm i -D vitest", "added 48 packages in 3s"),
    ("pnpm install --frozen-lockfile", "Lockfile is up to date, resolution step is skipped\nDone in 4.1s"),
    ("yarn add zod@3", "success Saved lockfile.\nsuccess Saved 1 new dependency.\nDone in 2.31s."),
    ("bun install", "bun install v1.1.8\n 61 packages installed [1.20s]"),
    (
        "pip install -r requirements.txt",
        "Collecting flask\n  Downloading flask-3.0.0.whl\nSuccessfully installed flask-3.0.0",
    ),
    (".venv/bin/pip install -e '.[dev]' -q", "[notice] A new release of pip is available: 23.2 -> 24.0"),
    ("python3 -m pip install --upgrade pip setuptools", "Requirement already satisfied: pip"),
    ("uv sync", "Resolved 63 packages in 12ms\nInstalled 4 packages in 8ms"),
    ("uv pip install httpx", "Installed 6 packages in 14ms\n + httpx==0.27.0"),
    ("poetry install --with dev", "Installing dependencies from lock file\nPackage operations: 41 installs"),
    (
        "python -m venv .venv && . .venv/bin/activate && pip install pytest",
        "Successfully installed pytest-8.2.0",
    ),
    ("cargo fetch", "    Updating crates.io index\n  Downloaded serde v1.0.203"),
    ("cargo add tokio --features full", "      Adding tokio v1.38.0 to dependencies"),
    (
        "go mod tidy",
        "go: downloading golang.org/x/sync v0.7.0\ngo: finding module for package github.com/x/y",
    ),
    ("go get -u ./...", "go: upgraded golang.org/x/net v0.24.0 => v0.26.0"),
    (
        "bundle install --jobs 4",
        "Fetching gem metadata from https://rubygems.org/\nBundle complete! 22 Gemfile dependencies",
    ),
    ("gem install rubocop", "Successfully installed rubocop-1.64.1\n1 gem installed"),
    ("composer install", "Installing dependencies from lock file\nGenerating autoload files"),
    (
        "sudo apt-get update",
        "Hit:1 http://deb.debian.org/debian bookworm InRelease\nReading package lists... Done",
    ),
    (
        "sudo apt-get install -y libpq-dev",
        "Setting up libpq-dev (15.6-0) ...\nProcessing triggers for libc-bin",
    ),
    ("apk add --no-cache curl", "(1/4) Installing ca-certificates\nOK: 12 MiB in 22 packages"),
    (
        "brew install jq",
        "==> Pouring jq--1.7.1.arm64_sonoma.bottle.tar.gz\n/opt/homebrew/Cellar/jq/1.7.1: 19 files",
    ),
    ("dotnet restore", "  Determining projects to restore...\n  Restored /src/Api/Api.csproj (in 412 ms)."),
    (
        "docker pull postgres:16",
        "16: Pulling from library/postgres\nStatus: Downloaded newer image for postgres:16",
    ),
    ("npx playwright install chromium", "Downloading Chromium 125.0 - 141.6 Mb\n|####    |  40% of 141.6 Mb"),
    ("conda install -y numpy", "Collecting package metadata: done\nSolving environment: done"),
    ("mix deps.get", "Resolving Hex dependencies...\n* Getting plug (Hex package)"),
    ("pod install", "Analyzing dependencies\nPod installation complete! There are 12 dependencies"),
)
BUILDS = _shell(
    "build output",
    ("make", "cc -c -o main.o main.c\ncc -c -o util.o util.c\ncc -o app main.o util.o"),
    ("make -j8 all", "[ 12%] Building CXX object src/CMakeFiles/core.dir/a.cc.o\n[100%] Built target core"),
    (
        "cmake -B build -S . && cmake --build build",
        "-- The C compiler identification is GNU 12.2.0\n-- Build files have been written",
    ),
    ("ninja -C out/Release", "[412/412] LINK ./app"),
    (
        "cargo build",
        "   Compiling libc v0.2.155\n   Compiling app v0.1.0\n    Finished dev profile in 18.40s",
    ),
    (
        "cargo build --release 2>&1 | tail -5",
        "   Compiling app v0.1.0 (/w/app)\n    Finished release profile in 61.0s",
    ),
    ("cargo check", "    Checking app v0.1.0\n    Finished dev profile [unoptimized] target(s) in 2.10s"),
    ("go build ./...", "go: downloading github.com/spf13/cobra v1.8.0"),
    (
        "./gradlew assembleDebug",
        "> Task :app:compileDebugKotlin\n> Task :app:assembleDebug\nBUILD SUCCESSFUL in 41s",
    ),
    ("mvn -q -DskipTests package", "[INFO] BUILD SUCCESS\n[INFO] Total time:  12.4 s"),
    ("npm run build", "> web@1.2.0 build\n> vite build\n\ndist/assets/index-4f1.js   142.10 kB"),
    ("pnpm -r build", "packages/core build: Done\npackages/ui build$ tsc -p ."),
    ("yarn build", "Creating an optimized production build...\nCompiled successfully.\nDone in 22.1s."),
    (
        "npx tsc -p tsconfig.build.json",
        "src/a.ts(3,7): warning TS6133: 'x' is declared but its value is never read.",
    ),
    (
        "npx webpack --mode production",
        "asset main.js 214 KiB [emitted] [minimized]\nwebpack 5.91.0 compiled in 6021 ms",
    ),
    (
        "docker build -t shop/api:dev .",
        "#1 [internal] load build definition\n#9 exporting layers 2.1s done\n#9 naming to shop/api:dev",
    ),
    ("docker compose build web", "#5 [web 2/6] RUN apt-get update\n#11 DONE 14.2s"),
    (
        "docker compose up -d",
        "[+] Running 3/3\n Container shop-db-1  Started\n Container shop-api-1  Started",
    ),
    (
        "dotnet build -c Release",
        "  Api -> /src/Api/bin/Release/net8.0/Api.dll\nBuild succeeded.\n    0 Warning(s)\n    0 Error(s)",
    ),
    (
        "bazel build //app:all",
        "INFO: Analyzed 41 targets\nINFO: Build completed successfully, 112 total actions",
    ),
    ("swift build", "Building for debugging...\n[12/12] Linking app\nBuild complete! (9.41s)"),
    ("python -m build", "* Creating isolated environment: venv+pip...\nSuccessfully built app-0.2.tar.gz"),
    ("hugo --minify", "Start building sites …\nTotal in 312 ms"),
    ("gcc -O2 -Wall -o bench bench.c", "bench.c:12:9: warning: unused variable 'n' [-Wunused-variable]"),
    ("make clean", "rm -f *.o app"),
    ("rm -rf node_modules dist .next", ""),
    ("npm run codegen", "✔ Parse Configuration\n✔ Generate outputs"),
    (
        "turbo run build --filter=web",
        " Tasks:    4 successful, 4 total\nCached:    3 cached, 4 total\n  Time:    2.1s",
    ),
)
LINTS = _shell(
    "linter spam",
    (
        "npx eslint src --ext .ts,.tsx",
        "src/a.tsx\n  12:3  warning  Unexpected console statement  no-console\n✖ 14 problems (0 "
        "errors, 14 warnings)",
    ),
    (
        "npm run lint",
        "> eslint .\n\n/w/src/b.js\n  3:1  warning  Missing JSDoc comment\n✖ 3 problems (0 errors, 3 "
        "warnings)",
    ),
    ("pnpm lint --fix", "src/index.ts 41ms"),
    ("ruff check .", "All checks passed!"),
    (
        "ruff check src --fix && ruff format src",
        "Found 3 errors (3 fixed, 0 remaining).\n12 files reformatted",
    ),
    ("black .", "reformatted src/a.py\nAll done! 1 file reformatted, 42 files left unchanged."),
    ("mypy src", "Success: no issues found in 88 source files"),
    ("flake8 --statistics", "12    E501 line too long (88 > 79 characters)\n4     W291 trailing whitespace"),
    (
        "pylint app --disable=all --enable=W",
        "app/views.py:12:0: W0611: Unused import os\nYour code has been rated at 9.80/10",
    ),
    (
        "npx prettier --check .",
        "Checking formatting...\n[warn] README.md\n[warn] Code style issues found in 1 file.",
    ),
    ("npx prettier --write src", "src/app.tsx 112ms\nsrc/index.tsx 14ms (unchanged)"),
    (
        "cargo clippy --all-targets",
        "warning: this `if` has identical blocks\n  --> src/main.rs:12:5\nwarning: 3 warnings emitted",
    ),
    ("cargo fmt --all -- --check", "Diff in /w/src/main.rs at line 3"),
    ("golangci-lint run ./...", "main.go:12:2: ineffectual assignment to err (ineffassign)"),
    ("go vet ./...", "# app\n./main.go:14: fmt.Printf format %d has arg of wrong type"),
    ("gofmt -l .", "internal/a.go"),
    (
        "bundle exec rubocop -a",
        "Inspecting 120 files\n120 files inspected, 14 offenses detected, 14 corrected",
    ),
    (
        "shellcheck scripts/*.sh",
        "In scripts/a.sh line 3:\necho $x\n     ^-- SC2086: Double quote to prevent globbing",
    ),
    (
        "pre-commit run --all-files",
        "trim trailing whitespace.................Passed\ncheck yaml...............................Passed",
    ),
    ("npx tsc --noEmit", ""),
    ("npm run typecheck", "> tsc --noEmit --pretty false"),
    ("./gradlew ktlintCheck", "> Task :app:ktlintMainSourceSetCheck\nBUILD SUCCESSFUL in 3s"),
    ("terraform fmt -recursive", "modules/vpc/main.tf"),
    ("clang-format -i src/*.cc", ""),
    ("hadolint Dockerfile", "Dockerfile:4 DL3008 warning: Pin versions in apt get install"),
)
LISTINGS = [
    *_shell(
        "listing or status",
        (
            "ls -la",
            "total 48\ndrwxr-xr-x  9 dev dev 4096 Jun  1 10:00 .\n-rw-r--r--  1 dev dev  812 README.md",
        ),
        ("ls src/components", "Button.tsx\nModal.tsx\nTable.tsx"),
        ("pwd", "/home/dev/shop"),
        ("cd api && ls", "main.go\ngo.mod"),
        ("tree -L 2 -I node_modules", ".\n├── api\n└── web\n\n2 directories"),
        ("find . -name '*.py' -not -path './.venv/*' | head -50", "./app/main.py\n./app/views.py"),
        ("git status", "On branch main\nnothing to commit, working tree clean"),
        ("git status --short", " M src/a.py\n?? notes.txt"),
        ("git branch -vv", "* main 4f2a1c9 [origin/main] Fix typo"),
        ("git log --oneline -10", "4f2a1c9 Fix typo\n99ab310 Add retry"),
        ("git diff --stat", " src/a.py | 4 ++--\n 1 file changed, 2 insertions(+), 2 deletions(-)"),
        ("git stash list", "stash@{0}: WIP on main: 4f2a1c9"),
        ("git remote -v", "origin\tgit@github.com:acme/shop.git (fetch)"),
        ("git fetch --all --prune", "Fetching origin"),
        (
            "docker ps",
            "CONTAINER ID   IMAGE         COMMAND   STATUS\n4be1f0a91c   postgres:16   ...   Up 2 hours",
        ),
        ("docker images | head", "REPOSITORY   TAG    IMAGE ID   SIZE\nshop/api     dev    99ab31     212MB"),
        ("docker compose ps", "NAME        STATUS\nshop-db-1   running"),
        ("docker logs --tail 20 shop-api-1", "listening on :8080"),
        (
            "kubectl get pods -n shop",
            "NAME        READY   STATUS    RESTARTS\napi-0       1/1     Running   0",
        ),
        ("npm ls --depth=0", "web@1.2.0 /w/web\n├── react@18.3.1\n└── zod@3.23.8"),
        ("pip list", "Package    Version\n---------- -------\nflask      3.0.0"),
        ("node --version && npm --version", "v20.12.2\n10.5.0"),
        ("which python3", "/usr/bin/python3"),
        ("ps aux | grep node", "dev  4121  0.1  node server.js"),
        ("df -h /", "Filesystem  Size  Used Avail Use% Mounted on\n/dev/sda1   200G  120G   80G  60% /"),
        ("du -sh .", "412M\t."),
        ("wc -l src/*.py", "  120 src/a.py\n  340 src/b.py\n  460 total"),
        (
            "systemctl status nginx --no-pager",
            "● nginx.service - A high performance web server\n   Active: active (running)",
        ),
        ("gh pr list", "12  Add export  feature/export"),
        ("gh run list --limit 3", "completed  success  CI  main  push"),
        ("curl -s localhost:8080/healthz", "ok"),
        ("lsof -i :3000", "COMMAND  PID USER\nnode    4121 dev"),
        ("date", "Sat Jun  1 10:12:00 UTC 2024"),
        ("echo done", "done"),
        ("env | sort | head", "HOME=/home/dev\nLANG=C.UTF-8"),
        ("sleep 5 && docker compose ps", "NAME        STATUS\nshop-db-1   running"),
    ),
    Happening("noise", "listing or status", "LS", {"path": "/w/src"}, "- /w/src/\n  - a.py"),
    Happening(
        "noise",
        "housekeeping",
        "TodoWrite",
        {"todos": [{"content": "Write tests", "status": "pending"}]},
        "Todos have been modified",
    ),
    Happening("noise", "housekeeping", "TodoWrite", {"todos": []}, "Todos have been modified"),
    Happening("noise", "polling", "BashOutput", {"bash_id": "bash_1"}, "<status>running</status>"),
    Happening("noise", "listing or status", "mcp__browser__list_tabs", {}, "1: about:blank"),
    Happening("noise", "listing or status", "mcp__db__ping", {}, "pong"),
]
WATCHERS = _shell(
    "output of a watcher",
    ("npm run dev", "  VITE v5.2.11  ready in 212 ms\n  ➜  Local:   http://localhost:5173/"),
    ("tail -f log/development.log", 'Started GET "/" for 127.0.0.1'),
    (
        "npx tsc --watch --noEmit",
        "Starting compilation in watch mode...\nFound 0 errors. Watching for file changes.",
    ),
    ("npx jest --watchAll=false --watch", "Watch Usage: Press w to show more."),
    ("watch -n 2 'ls -l out'", "Every 2.0s: ls -l out"),
    ("docker compose logs -f api", "api-1  | listening on :8080"),
    ("yarn start", "Compiled successfully!\nYou can now view web in the browser."),
)
EMPTY = [
    *_shell(
        "empty",
        ("grep -rn 'legacyFlag' src", ""),
        ("rg -n TODO --glob '*.go'", ""),
        ("true", ""),
        ("cd packages/core", ""),
        ("test -f .env.example && echo yes", ""),
        ("mkdir -p src/reports", ""),
        ("export NODE_ENV=test", ""),
        ("source .venv/bin/activate", ""),
        ("git diff --name-only", ""),
        ("find . -name '*.orig'", ""),
        ("python -c 'import app'", ""),
        ("diff a.json b.json", ""),
    ),
    Happening(
        "noise",
        "empty",
        "Grep",
        {"pattern": "deprecated_call"},
        {"mode": "files_with_matches", "filenames": [], "numFiles": 0},
    ),
    Happening("noise", "empty", "Grep", {"pattern": "FIXME.*auth"}, "No matches found"),
    Happening("noise", "empty", "Glob", {"pattern": "**/*.snap"}, "No files found"),
    Happening("noise", "empty", "mcp__jira__search", {"query": "rounding"}, ""),
]

_COMMANDS = _failing(
    "a failed command",
    (
        "pytest -q",
        "Exit code 1\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 80 passed in 3.1s",
    ),
    (
        "python -m pytest tests/api -x",
        "Exit code 2\nERROR tests/api/test_auth.py - ModuleNotFoundError: No module named 'jwt'",
    ),
    (
        "npm test",
        "Exit code 1\nFAIL src/cart.test.ts\n  ● adds up\n    "
        "expect(received).toBe(expected)\nTests: 1 failed, 12 passed, 13 total",
    ),
    ("cargo test", "Exit code 101\ntest ledger::rounds ... FAILED\ntest result: FAILED. 12 passed; 1 failed"),
    (
        "go test ./...",
        "Exit code 1\n--- FAIL: TestParse (0.00s)\n    parse_test.go:14: got 1\nFAIL\tapp/parse\t0.01s",
    ),
    (
        "npm install",
        "Exit code 1\nnpm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree",
    ),
    (
        "pip install psycopg2",
        "Exit code 1\nerror: subprocess-exited-with-error\nError: pg_config executable not found.",
    ),
    (
        "cargo build",
        "Exit code 101\nerror[E0502]: cannot borrow `x` as mutable\nerror: could not compile `app`",
    ),
    (
        "npm run build",
        "Exit code 2\nsrc/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
    ("make", "Exit code 2\nmain.c:4:5: error: unknown type name 'foo'\nmake: *** [main.o] Error 1"),
    (
        "npx eslint src",
        "Exit code 1\nsrc/a.ts\n  3:7  error  'x' is assigned a value but never used  no-unused-vars",
    ),
    ("ruff check .", "Exit code 1\nsrc/a.py:3:1: F401 [*] `os` imported but unused\nFound 1 error."),
    (
        "docker build -t api .",
        'Exit code 1\nERROR: failed to solve: process "/bin/sh -c npm ci" did not complete: exit code: 1',
    ),
    (
        "docker compose up -d",
        "Exit code 1\nError response from daemon: Ports are not available: address already in use",
    ),
    ("psql -c 'select 1'", "Exit code 2\npsql: error: connection to server failed: Connection refused"),
    (
        "git push origin main",
        "Exit code 1\n ! [rejected] main -> main (fetch first)\nerror: failed to push some refs",
    ),
    (
        "git merge feature/export",
        "Exit code 1\nCONFLICT (content): Merge conflict in src/a.py\nAutomatic merge failed",
    ),
    ("ls missing", "Exit code 2\nls: cannot access 'missing': No such file or directory"),
    ("./deploy.sh staging", "Exit code 1\nERROR: helm upgrade failed: timed out waiting for the condition"),
    ("kubectl apply -f k8s/", 'Exit code 1\nerror: error validating data: unknown field "spec.replica"'),
    ("terraform apply -auto-approve", "Exit code 1\nError: creating S3 Bucket: BucketAlreadyExists"),
    ("mvn test", "Exit code 1\n[ERROR] CartTest.adds:14 expected:<3> but was:<4>\n[INFO] BUILD FAILURE"),
    ("grep -c foo missing.txt", "Exit code 2\ngrep: missing.txt: No such file or directory"),
    ("python manage.py migrate", "Exit code 1\ndjango.db.utils.OperationalError: no such table: auth_user"),
)
FAILURES = [
    *_COMMANDS,
    Happening(
        "failure",
        "an edit that did not fit",
        "Edit",
        {"file_path": "/w/src/a.py", "old_string": "a", "new_string": "b"},
        error="String to replace not found in file.",
    ),
    Happening(
        "failure",
        "a page that is gone",
        "WebFetch",
        {"url": "https://example.com/x", "prompt": "read"},
        error="Request failed with status code 404",
    ),
    Happening(
        "failure", "a server that is down", "mcp__db__query", {"sql": "select 1"}, error="connection refused"
    ),
    Happening("failure", "no such file", "Read", {"file_path": "/w/gone.py"}, error="File does not exist."),
    # The exit code was lost in a pipe.
    *_shell(
        "tests fail in a pipe",
        (
            "pytest -q 2>&1 | tail -3",
            "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 9 passed in 0.4s",
        ),
        ("npm test 2>&1 | tail -20", "FAIL src/a.test.ts\nTests:       2 failed, 11 passed, 13 total"),
        label="failure",
    ),
]
WRITES = [
    Happening(
        "write",
        "a file written",
        "Write",
        {"file_path": f"/w/{path}", "content": content},
        {"type": "create", "filePath": path},
    )
    for path, content in (
        (
            "src/cart.py",
            "from decimal import Decimal\n\ndef total(items):\n    return sum(items, Decimal(0))\n",
        ),
        ("web/src/Button.tsx", "export function Button() { return <button/> }\n"),
        ("docs/adr/0007-cents.md", "# Cents\n\nAmounts are integers.\n"),
        (".github/workflows/ci.yml", "name: CI\non: [push]\n"),
        ("package.json", '{"name": "web", "scripts": {"build": "vite build"}}\n'),
        ("requirements.txt", "flask==3.0.0\n"),
        ("src/__init__.py", ""),
        ("Makefile", "all:\n\tcc -o app main.c\n"),
        ("tests/test_cart.py", "def test_total():\n    assert True\n"),
        ("migrations/0004_add_currency.sql", "ALTER TABLE cart ADD COLUMN currency TEXT;\n"),
        ("yarn.lock", "# yarn lockfile v1\n"),
        ("dist/bundle.js", "(()=>{})();\n"),
        (".eslintrc.json", '{"rules": {}}\n'),
        ("src/empty.txt", "ok"),
    )
]
EDITS = [
    Happening(
        "edit",
        "a file edited",
        "Edit",
        {"file_path": f"/w/{path}", "old_string": old, "new_string": new},
        {"filePath": path},
    )
    for path, old, new in (
        ("src/cart.py", "return sum(items)", "return sum(items, Decimal(0))"),
        ("src/auth.py", "TTL = 3600", "TTL = 900"),
        ("web/src/app.tsx", "<A/>", "<B/>"),
        ("go.mod", "go 1.21", "go 1.22"),
        ("README.md", "tpyo", "typo"),
        ("src/a.py", "x", ""),
        ("config/eslint.js", "warn", "error"),
        ("Dockerfile", "FROM node:18", "FROM node:20"),
        ("src/log.py", "print(x)", "log.info(x)"),
        ("package-lock.json", '"version": "1.0.0"', '"version": "1.0.1"'),
        ("src/lint.ts", "no errors", "0 errors"),
        ("api/main.go", "func Parse(", "func ParseLine("),
    )
] + [
    Happening(
        "edit",
        "several edits",
        "MultiEdit",
        {"file_path": "/w/src/a.py", "edits": [{"old_string": "a", "new_string": "b"}]},
        "ok",
    ),
    Happening(
        "edit",
        "a notebook's cell",
        "NotebookEdit",
        {"notebook_path": "/w/a.ipynb", "new_source": "1 + 1"},
        "ok",
    ),
]
DECISIONS = [
    Happening("decision", "said so", said=text, by_person=by_person)
    for by_person, text in (
        (True, "We keep amounts in cents because floats lose them."),
        (True, "Let's use Postgres instead of SQLite for the ledger."),
        (True, "Never call the payment API from a test."),
        (True, "Always write migrations by hand, the generated ones drop our indexes."),
        (True, "We decided to keep the v1 endpoints until October."),
        (True, "ok, let's go with the token bucket"),
        (True, "Don't use moment, use date-fns."),
        (True, "From now on commit messages are in the imperative."),
        (True, "We agreed on trunk based development."),
        (True, "I prefer small modules over one big file here."),
        (True, "switch to pnpm, npm is too slow in CI"),
        (True, "no longer support node 16 please"),
        (True, "Use the repository pattern rather than active record."),
        (True, "Stick with httpx for outgoing calls."),
        (True, "Dates are stored in UTC because the report job runs in three regions."),
        (True, "we're going back to REST for the public API"),
        (False, "I used a dict instead of a list because lookups dominate."),
        (False, "I've switched the client to httpx since requests has no async support."),
        (False, "I decided to keep the old column and backfill it in a job."),
        (False, "The importer now retries three times because the upstream API is flaky."),
        (False, "I went with a partial index rather than a second table."),
        (False, "I replaced the regex parser with a small lexer."),
        (False, "We no longer cache the exchange rates in the process."),
        (
            False,
            "I moved the validation from the view to the model because both the API and the admin need it.",
        ),
    )
]
OTHERS = [
    *_shell(
        "work",
        ("git commit -m 'Keep amounts in cents'", "[main 4f2a1c9] Keep amounts in cents\n 2 files changed"),
        ("python scripts/backfill.py --dry-run", "would update 412 rows"),
        ("pytest -q tests/test_cart.py", "4 passed in 0.11s"),
        ("cargo test", "test result: ok. 41 passed; 0 failed"),
        ("psql -c 'select count(*) from cart'", " count\n-------\n  4121"),
        ("cat src/cart.py", "def total(items): ..."),
        ("curl -s https://api.example.com/v1/rates", '{"EUR": 1.08}'),
        ("git push origin feature/cents", "To github.com:acme/shop.git\n * [new branch]"),
        label="other",
    ),
    Happening(
        "other",
        "reading",
        "Read",
        {"file_path": "/w/src/cart.py"},
        {"file": {"content": "def total(items): ..."}},
    ),
    Happening("other", "reading", "Read", {"file_path": "/w/README.md"}, {"file": {"content": "# Shop"}}),
    Happening("other", "searching", "Grep", {"pattern": "def total"}, "src/cart.py:3:def total(items):"),
    Happening(
        "other",
        "the web",
        "WebFetch",
        {"url": "https://docs.example.com/decimal", "prompt": "rounding"},
        "Use quantize.",
    ),
    Happening("other", "a tool", "mcp__github__create_issue", {"title": "Rounding"}, '{"number": 12}'),
    Happening("other", "a prompt that decides nothing", said="Add a CSV export to the report page"),
    Happening("other", "a prompt that decides nothing", said="now run the tests"),
    Happening(
        "other",
        "an answer that decides nothing",
        said="All 84 tests pass and the page loads.",
        by_person=False,
    ),
]
SHARES = (
    (INSTALLS, 45),
    (BUILDS, 50),
    (LINTS, 40),
    (LISTINGS, 75),
    (WATCHERS, 10),
    (EMPTY, 30),
    (FAILURES, 45),
    (WRITES, 30),
    (EDITS, 55),
    (DECISIONS, 30),
    (OTHERS, 90),
)


def day() -> Iterator[Happening]:
    """The day's events in a mixed order that is the same each time; everything above comes up."""
    chance = random.Random(6)
    events: list[Happening] = []
    for kinds, count in SHARES:
        events += (kinds * (count // len(kinds) + 1))[: max(count, 1)]
    assert len(events) == LENGTH
    chance.shuffle(events)
    yield from events
