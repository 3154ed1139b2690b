"""Agents that attack while they are built: each is refused with a message, or achieves nothing.

What no compiler can be made to do, such as leaving links behind, is tested in `tests/arena/entrants/test_road.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from littlego.core.rules import Verdict
from littlego.sandbox.limits import Level
from tests.sandbox.hostile.case import EVERY, GOOD, SANDBOXED, Build, Case

_PYTHON, _CPP, _JAVA = "my_player3.py", "my_player.cpp", "my_player.java"
_PLAYS = "open('output.txt', 'w').write('2,3')\n"
_MAIN = "int main() {}\n"
_CLASS = "public class my_player { public static void main(String[] words) { } }\n"
_STEALS = "open('loot', 'w').write(open('SECRET').read())\n"
_KILLED = r"\ng++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n"
_NEVER_ENDS = "timed out after|more than .* of CPU time|exceeded a limit"


def _builds(name: str, proves: str, files: Mapping[str, str]) -> Case:
    return Case(f"build_{name}", proves, frozenset({GOOD}), group="builds", build=Build(files))


def _refused(
    name: str,
    proves: str,
    files: Mapping[str, str],
    words: str,
    *,
    levels: frozenset[Level] = EVERY,
    links: tuple[str, ...] = (),
    hurried: bool = False,
) -> Case:
    build = Build(files, words, links, hurried)
    return Case(f"build_{name}", proves, frozenset({Verdict.CRASH}), levels, group="builds", build=build)


BUILDS: tuple[Case, ...] = (
    _builds("python", "a good agent is built: Python", {_PYTHON: _PLAYS, "helper.py": "VALUE = 1\n"}),
    _builds("cpp", "a good agent is built: C++", {_CPP: _MAIN}),
    _builds("java", "a good agent is built: Java", {_JAVA: _CLASS}),
    _builds(
        "helpers_of_ours",
        "helpers named like our own modules are not run",
        {
            _PYTHON: _PLAYS,
            "odd.py": "odd = '\\d'\n",  # the compiler warns about it, and for that imports modules
            **dict.fromkeys(("compileall.py", "py_compile.py", "sitecustomize.py", "linecache.py"), _STEALS),
        },
    ),
    _refused(
        "encoding",
        "nor is one named like the encoding of a source",
        {_PYTHON: "# coding: loot\n" + _PLAYS, "loot.py": _STEALS},
        "unknown encoding",
    ),
    _builds("option", "a file name is not an option", {_PYTHON: _PLAYS, "-c.py": _STEALS, "-.py": _STEALS}),
    _builds(
        "processor",
        "javac runs no annotation processor",
        {_JAVA: _CLASS, "META-INF/services/javax.annotation.processing.Processor": "Planter\n"},
    ),
    _refused(
        "include",
        "a compiler cannot read files outside",
        {_CPP: '#include "SECRET"\n' + _MAIN},
        "No such file|Permission denied",
        levels=SANDBOXED,
    ),
    _refused(
        "assemble",
        "an assembler cannot read files outside",
        {_CPP: 'asm(".incbin \\"SECRET\\"");\n' + _MAIN},
        "incbin|can't open|not found",
        levels=SANDBOXED,
    ),
    _refused("link", "a source cannot be a link", {_CPP: _MAIN}, "a symbolic link", links=("helper.h",)),
    _refused(
        "waits",
        "a build that waits for its own errors fails",
        {_CPP: '#include "/proc/self/fd/2"\n' + _MAIN},
        f"{_NEVER_ENDS}|No such file|Permission denied",
        hurried=True,
    ),
    _refused(
        "device",
        "a build that reads an endless device fails",
        {_CPP: '#include "/dev/zero"\n' + _MAIN},
        f"{_NEVER_ENDS}|is too large|No such file|Permission denied|virtual memory exhausted|out of memory",
        hurried=True,
    ),
    _refused(
        "endless",
        "a build that never ends fails",
        {
            _CPP: "template <int N, int K> struct T { enum { v = T<N - 1, 2 * K>::v + T<N - 1, 2 * K + 1>::v }; };\n"
            "template <int K> struct T<0, K> { enum { v = K }; };\nint x = T<28, 0>::v;\n" + _MAIN
        },
        _NEVER_ENDS,
        hurried=True,
    ),
    _refused(
        "deep",
        "a source nested too deeply fails with a message",
        {_PYTHON: "x = " + "(" * 300 + ")" * 300},
        "nested parentheses",
    ),
    _refused("binary", "a source that is not text fails with a message", {_PYTHON: "x = 1\0\n"}, "null bytes"),
    _refused(
        "large",
        "what a compiler writes is limited",
        {_CPP: 'asm(".data\\n.fill 200000000, 1, 1\\n.text");\n' + _MAIN},
        "File size limit|too large|more than",
    ),
    _refused(
        "flood",
        "only the end of a flood of errors is kept",
        {_CPP: "#warning " + "x" * 100 + "\n" + "#warning again\n" * 2000 + "#error the end\n"},
        "the end",
    ),
    _refused("killed", "a killed compiler's message proves nothing", {_CPP: f'#line 1 "{_KILLED}"\n#error'}, "Killed"),
    _refused("full_disk", "nor does one of a full disk", {_CPP: "#error No space left on device\n"}, "No space"),
    _refused("package", "Java classes in a package are refused", {_JAVA: "package p;\n" + _CLASS}, "package line"),
    _refused(
        "many_files",
        "too many files are refused",
        {_PYTHON: _PLAYS, **{f"data/{number}.txt": "" for number in range(1001)}},
        "more than 1000 files",
    ),
    _refused("deep_files", "files nested too deeply are refused", {_PYTHON: _PLAYS, "d/" * 40 + "x.txt": ""}, "deep"),
)
