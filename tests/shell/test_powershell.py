"""PowerShell becomes the shell commands that do the same."""

import pytest

from hookd.shell.batch import as_shell as batch_as_shell
from hookd.shell.powershell import as_shell


def lines(text: str) -> list[str]:
    made = as_shell(text)
    assert not made.unread
    return made.text.split("\n") if made.text else []


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("Remove-Item -Recurse -Force build", "rm -r -f build"),
        ("rm build -Recurse -fo", "rm -r -f build"),
        ("rm -rf build", "rm -rf build"),
        ("RI -REC build", "rm -r -f build"),
        ("rd /s /q build", "rm -r -f build"),
        ("Remove-Item -Path a, 'b c'", "rm a 'b c'"),
        ("Remove-Item *.log", "rm *.log"),
        ("Remove-Item a -Confirm:$false -Recurse:$false", "rm a"),
        (r"del C:\Users\x\a.txt", "rm C:/Users/x/a.txt"),
        (r"Remove-Item HKLM:\Software\X", r"reg delete 'HKLM:\Software\X'"),
        ("Get-Content .env | Select-String KEY", "cat .env | grep -e KEY"),
        ("Get-Content a -Tail 5", "cat a"),
        ("Set-Content -Path a.txt -Value 'rm -rf /'", "echo 'rm -rf /' > a.txt"),
        ("'x' | Add-Content a.txt", "echo x >> a.txt"),
        ("Write-Output hello > a.txt", "echo hello > a.txt"),
        ("iwr https://example.com/x -OutFile x.ps1", "curl -o x.ps1 https://example.com/x"),
        ("curl -s https://example.com", "curl -s https://example.com"),
        ("irm e.example -Method Post -Headers @{a='b'}", "curl -X POST -H 'a: b' e.example"),
        ("mkdir a -Force", "mkdir -p a"),
        ("Rename-Item src/a.ts b.ts", "mv src/a.ts src/b.ts"),
        ("Stop-Process -Name node -Force", "pkill -9 node"),
        ("Get-Process | Stop-Process", "pkill ."),
        ("sc stop x", "sc stop x"),
        ("sc a.txt x", "echo x > a.txt"),
        ("$env:A = 'b'", "export A=b"),
        (r'& "C:\Program Files\x.exe" -a', "'C:/Program Files/x.exe' -a"),
        ("Start-Process npm -ArgumentList 'run dev'", "npm run dev"),
        ("git show HEAD@{1} --format='%h %s'", "git show 'HEAD@{1}' '--format=%h %s'"),
        ("docker run -v ${PWD}:/app x", 'docker run -v "$PWD":/app x'),
        ("[IO.File]::Delete('a')", "rm -f a"),
        ("(New-Object Net.WebClient).DownloadFile('https://e.example', 'a')", "curl -o a https://e.example"),
        ("Remove-AzVM web -Force", "Remove-Azvm web -Force"),
    ],
)
def test_a_command(text: str, shell: str) -> None:
    assert lines(text) == [shell]


@pytest.mark.parametrize(
    "text",
    [
        "Get-ChildItem src | Sort-Object Length | Format-Table",
        "$x = 1; $x++",
        "Remove-Item ~ -Recurse -WhatIf",
        "Remove-AzVM web -wi",
        "Remove-Item Env:A",
        "# Remove-Item x",
        "<# Remove-Item x #>",
        "'Remove-Item x'",
        "function f { Remove-Item x }",
        "[math]::Round(1.5)",
        "Get-Date -Format o",
        "Write-Host 'hi' -ForegroundColor Red",
    ],
)
def test_nothing_that_matters(text: str) -> None:
    assert lines(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "$d = 'x'; rm $d",
        'rm "$(Join-Path . x)"'.replace("Join-Path . x", "'x'"),
        "'x' | rm",
        "'x' | % { rm $_ }",
        "foreach ($f in 'x') { rm $f }",
        "if ($true) { rm x }",
        "try { 1 } finally { rm x }",
        "function f($p) { rm $p }; f x",
        "function f { param([string]$p = 'x') rm $p }; f",
        "& { param($p) rm $p } x",
        "$b = { rm x }; & $b",
        "iex 'rm x'",
        "iex ('r' + 'm x')",
        "$a = @{ Path = 'x' }; Remove-Item @a",
        "$h = @{ x = 1 }; rm $h.Keys",
        "Set-Alias z Remove-Item; z x",
        "re`move-it`em x",
        "Remove-Item `\n  x",
        "[void](rm x)",
        '"$(rm x)"',
        "rm ('{0}' -f 'x')",
        "Microsoft.PowerShell.Management\\Remove-Item x",
        "Test-Path y && rm x",
        "'y' |\n  % { rm x }",
        "'y'\n  | % { rm x }",
        "switch (1) { 1 { rm x } }",
        "Invoke-Command { rm x }",
        "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('cm0geA==')))",
    ],
)
def test_a_command_is_met_wherever_it_stands(text: str) -> None:
    assert lines(text) == ["rm x"]


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("gci src | ri", "rm src/*"),
        ("gci src -Filter *.o | ri", "rm src/*.o"),
        ("gci src -Recurse -Filter *.o | ri -Force", "find src -name '*.o' -exec rm -f {} +"),
        ("gci -Recurse -Directory -Filter obj | ri -Recurse", "rm -r -f ./**/obj"),
        ("gci -Recurse | ? { $_.Name -in 'bin', 'obj' } | ri -r", "rm -r -f ./**/bin ./**/obj"),
        ("gci logs | where Extension -eq .log | ri", "rm logs/*.log"),
        ("gci logs | ? { $_.Length -gt 5 } | ri", "find logs -mtime 0 -exec rm {} +"),
        ("gci | ? { $_.Name -ne 'a' } | ri -r -fo", "rm -r -f ./*"),
        ("gci -r | ri", "rm -r -f ./*"),
        ("$f = gci src; $f | % { $_.Delete() }", "rm -f src/*"),
        ("foreach ($f in gci src) { ri $f.FullName }", "rm src/*"),
    ],
)
def test_what_comes_through_a_pipe_is_the_operand(text: str, shell: str) -> None:
    assert lines(text) == [shell]


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("irm e.example | iex", ['v1="$(curl e.example)"', 'eval "$v1"']),
        (
            "$k = gc a; irm -Method Put e.example -Body $k",
            ['v1="$(cat a)"', 'curl -X PUT -d "$v1" e.example'],
        ),
        ("gc a | irm e.example", ["cat a | curl e.example -d @-"]),
        ("rm $x", ['rm "$unknown"']),
        ("if ($a) { $d = 'x' } else { $d = 'y' }; rm $d", ["rm x y"]),
        ("Write-Host $env:A_TOKEN", ['echo "$A_TOKEN"']),
        ("$t = Join-Path $env:TEMP a; rm $t", ["rm /tmp/a"]),
        ("rm $HOME/x, ~/y", ['rm "$HOME"/x "$HOME"/y']),
    ],
)
def test_what_is_known_of_values(text: str, shell: list[str]) -> None:
    assert lines(text) == shell


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("rd /s /q build", "rm -r -f build"),
        (r"del /q a\*.obj", "rm -f a/*.obj"),
        (r'copy a "%USERPROFILE%\b c"', "cp a \"$HOME\"'/b c'"),
        ("cd src && npm test || echo no", "cd src && npm test || echo no"),
        ("npm test > out.txt 2>&1", "npm test > out.txt"),
        ("if not exist a (md a) else rd a", "mkdir -p a ; rmdir a"),
        ("for %f in (a b) do del %f", 'rm -f "$unknown"'),
        (r'start "title" /wait C:\x.exe', "C:/x.exe"),
        ("set A=b&& node x", "export A=b && node x"),
        ("exit", ""),
    ],
)
def test_the_other_command_processor(text: str, shell: str) -> None:
    assert batch_as_shell(text) == shell
