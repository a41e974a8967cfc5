"""PowerShell as far as it is read: plain commands are judged, the rest is asked about."""

import pytest
from gate_world import call, judged

from hookd.gate.powershell import as_shell


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("Remove-Item -Recurse -Force build", "rm -r -f build"),
        ("rm build -Recurse -fo", "rm -r -f build"),
        ("rm -rf build", "rm -rf build"),
        ("Remove-Item -Path a, 'b c'", "rm a 'b c'"),
        ("Remove-Item *.log", "rm *.log"),
        (r"del C:\Users\x\a.txt", "rm C:/Users/x/a.txt"),
        ("Get-Content .env | Select-String KEY", "cat .env| grep KEY"),
        ("git push --force; npm test", "git push --force; npm test"),
        ("Set-Content -Path a.txt -Value 'rm -rf /'", "tee a.txt"),
        ("Set-Content a.txt 'rm -rf /'", "tee a.txt"),
        ("Write-Output hello > a.txt", "echo hello > a.txt"),
        ("iwr https://example.com/x -OutFile x.ps1", "curl -o x.ps1 https://example.com/x"),
        ("Get-ChildItem -Recurse src && Get-Date", "ls -R src&& true"),
        ("Remove-Item ~/x -WhatIf", "rm ~/x"),
        ("Get-Content a -Tail 5", "cat a"),
    ],
)
def test_plain_commands_are_read(text: str, shell: str) -> None:
    assert as_shell(text) == shell


@pytest.mark.parametrize(
    "text",
    [
        "$x = 1",
        "Remove-Item $path",
        'Remove-Item "$path"',
        "Get-ChildItem | ForEach-Object { Remove-Item $_ }",
        "& ./evil.ps1",
        "Remove-Item (Get-Location)",
        "Invoke-Expression 'x'",
        "iex x",
        "Start-Process x",
        "Format-Volume -DriveLetter C",
        "Remove-Item a -Unknown b",
        "'text'",
        "Rem`ove-Item x",
        "[System.IO.File]::Delete('x')",
        "cmd @args",
        "Remove-Item x >",
    ],
)
def test_everything_else_is_not(text: str) -> None:
    assert as_shell(text) is None
    assert judged(call("PowerShell", command=text)).verdict in ("ask", "deny")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Remove-Item -Recurse -Force /", "deny"),
        ("Get-Content .env", "deny"),
        ("git push --force", "deny"),
        ("git status", "none"),
        ("Get-ChildItem src", "none"),
        ("Remove-Item -Recurse node_modules", "none"),
    ],
)
def test_the_same_rules_hold(text: str, verdict: str) -> None:
    assert judged(call("PowerShell", command=text)).verdict == verdict
