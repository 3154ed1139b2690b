"""The architecture as tests: imports point down, exported names are as listed, the README is true."""

from __future__ import annotations

import ast
import doctest
import inspect
import os
import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import littlego

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "littlego"

# Lowest first. A module may import its own layer and those before it.
LAYERS = [
    ("core",),
    ("formats", "storage"),
    ("kernel",),
    ("solve", "learn"),
    ("players", "sandbox"),
    ("arena",),
    ("review",),
    ("course",),
    ("apps",),
]
RANK = {folder: rank for rank, folders in enumerate(LAYERS) for folder in folders}
EVERYWHERE = {"stats", "figures", "agent"}
"""Beside the layers: they import nothing of the package, and every layer may use them."""

TEACHING_EXAMPLE = "tictactoe"
"""Complete in itself, and used by the applications alone."""
KNOW_NO_GO = {"littlego.kernel.marks", "littlego.kernel.host", "littlego.kernel.xorshift"}
"""What the teaching example takes from the layers: the kernel and random numbers."""

FACES = {"env", "testing"}
"""Public names for what lies further down: they import that alone, and nothing imports them."""

MODULES = sorted(SOURCE.rglob("*.py"))
TOOLS = ROOT / "tools"


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in the file it does."""
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return names


def test_the_table_of_layers_in_the_docs_is_this_one() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", text, re.M)
    documented = {int(rank): set(re.findall(r"`(\w+)/`", folders)) for rank, folders in rows}
    assert documented == {rank: set(folders) for rank, folders in enumerate(LAYERS)}


def test_every_folder_has_its_layer() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {*RANK, TEACHING_EXAMPLE, "agent"}


SAME_AS_JSON = {"Agent"}
"""One thing, as a value of Python and as the API shows it."""


OPTIONS = ("apps/cli/", "apps/web/", "solve/proof/fast_check.py")
"""The names of types there are those of options and of JSON; the checker shares nothing with what it checks."""


def alias_of(node: ast.stmt) -> str | None:
    """The name of a type that a statement of a module defines, such as `Json = dict[str, Any]`."""
    target = (
        node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(node, ast.Assign) else None
    )
    is_type = isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper()
    return target.id if isinstance(target, ast.Name) and is_type else None


def test_one_name_is_one_thing() -> None:
    """In the layers. Kits have the course's names, and the teaching example is complete in itself."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith((f"{TEACHING_EXAMPLE}/", "course/kits/", "agent/")):
            continue
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(place)
            if not place.startswith(OPTIONS) and (alias := alias_of(node)):
                places.setdefault(alias, []).append(place)
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert set(shared) == SAME_AS_JSON, {name: shared.get(name) for name in shared.keys() ^ SAME_AS_JSON}
    for name in SAME_AS_JSON:
        assert [place.startswith("apps/web/") for place in sorted(shared[name])] == [True, False], name
    assert {name for name in places if name.lower() in RANK} == set()


def why_not(folder: str, name: str) -> str | None:
    """Why a module of a layer may not import another, if so."""
    package, _, rest = name.partition(".")
    target = rest.split(".")[0]
    if package != "littlego" or not target or target in EVERYWHERE:
        return None
    if target == TEACHING_EXAMPLE:
        return None if folder == "apps" else "which only the applications use"
    if target in FACES:
        return "which is for users alone"
    if RANK[target] > RANK[folder]:
        return "which lies above it"
    beside = RANK[target] == RANK[folder] and target != folder
    return "which lies beside it: the two do not import each other" if beside else None


def test_imports_point_down() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}, {why}"
        for path in MODULES
        if (folder := path.relative_to(SOURCE).parts[0].removesuffix(".py")) in RANK
        for name in imports(path)
        if (why := why_not(folder, name))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("folder", "name", "allowed"),
    [
        ("solve", "littlego.kernel.words", True),
        ("kernel", "littlego.solve.oracle", False),
        ("solve", "littlego.learn.training", False),
        ("apps", "littlego.tictactoe.board", True),
        ("course", "littlego.tictactoe.board", False),
        ("apps", "littlego.testing", False),
        ("core", "littlego.stats", True),
        ("core", "json", True),
    ],
)
def test_imports_that_point_elsewhere_are_found(folder: str, name: str, allowed: bool) -> None:
    assert (why_not(folder, name) is None) is allowed


def test_the_package_does_without_the_tools() -> None:
    """They are not in the wheel."""
    names = {path.stem for path in TOOLS.iterdir() if path.name != "__pycache__"}
    users = {path for path in MODULES if any(name.split(".")[0] in names for name in imports(path))}
    assert users == set()


def test_nothing_installed_imports_the_compiler() -> None:
    """`kernel.wasm` is compiled by us, before: numba and LLVM are in no lock but the developers'."""
    tools = {"numba", "llvmlite", "compiling", "ziglang"}
    assert {path for path in MODULES if {name.split(".")[0] for name in imports(path)} & tools} == set()
    for lock in ("requirements.lock", "requirements-docs.lock", "requirements-lowest.txt"):
        pinned = {line.partition("==")[0] for line in (ROOT / lock).read_text().splitlines()}
        assert not pinned & {"numba", "llvmlite"}
        assert "wasmtime" in pinned


def test_the_face_of_tests_is_thin() -> None:
    face, below = import_module("littlego.testing"), import_module("littlego.course.testing")
    assert {name for name in imports(SOURCE / "testing.py") if name.startswith("littlego.")} == {
        "littlego.course.testing"
    }
    assert face.Agent is below.Agent


@pytest.mark.parametrize("name", sorted(FACES - {"testing"}))
def test_faces_are_thin(name: str) -> None:
    face = import_module(f"littlego.{name}")
    assert {module for module in imports(SOURCE / f"{name}.py") if module.startswith("littlego.")} == {
        f"littlego.apps.{name}",
        *(where for where in face._WHERE.values() if where != f"littlego.apps.{name}.littlego_v0"),
    }
    assert sorted(face.__all__) == sorted(face._WHERE)
    for public in face.__all__:
        assert getattr(face, public) is not None


@pytest.mark.parametrize("path", sorted((SOURCE / TEACHING_EXAMPLE).rglob("*.py")), ids=lambda path: path.name)
def test_the_teaching_example_is_complete_in_itself(path: Path) -> None:
    for name in imports(path):
        package, _, rest = name.partition(".")
        ours = package != "littlego" or rest.split(".")[0] in {TEACHING_EXAMPLE, *EVERYWHERE}
        assert ours or name in KNOW_NO_GO, name


@pytest.mark.parametrize("path", sorted((SOURCE / "core").glob("*.py")), ids=lambda path: path.name)
def test_core_needs_the_standard_library_alone(path: Path) -> None:
    for name in imports(path):
        package = name.split(".")[0]
        assert package == "littlego" or package in sys.stdlib_module_names


def test_the_sandbox_imports_nothing_of_ours_but_itself() -> None:
    """It can be read, and reused, alone."""
    for path in (SOURCE / "sandbox").glob("*.py"):
        ours = {name for name in imports(path) if name.split(".")[0] == "littlego"}
        assert all(name.startswith("littlego.sandbox") for name in ours), (path.name, ours)


KEY_NAMES = ("key", "digest", "identity", "topic")
"""What names of this kind hold, or functions of this kind return, decides whether two things are the same."""

HASHES = {"sha256", "sha1", "md5", "blake2b", "blake2s", "crc32"}

WHOLE_TEXTS = {
    "arena/match.py": {"str(self.level)"},
    "arena/building.py": {"str(tool)", "str(Path(command).absolute())", "str(program)"},
    "arena/tournament/roster.py": {"str(getattr(entrant, 'python', None) or '')"},
    "core/game.py": {"str(part)"},
    "course/grading/plan.py": {"str(self.level)"},
}
"""Texts that are all of a value, so that unequal values have unequal texts: of paths, numbers, texts and levels."""


def text_keys(tree: ast.Module) -> set[str]:
    """The `repr` and `str` calls, and the `!r` and `!s` of f-strings, from which a key is made.

    That is, those within: what is hashed and the rest of a function that hashes; a function or a variable with a
    name of a key; a subscript; the first argument of `get`, `setdefault` and `pop`. What an error says is no key.
    """
    places: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_key_name(node.name) or any(called(part) in HASHES for part in ast.walk(node)):
                places += node.body
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            places += [
                node.value for target in targets if is_key_name(getattr(target, "id", getattr(target, "attr", "")))
            ]
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            places.append(node.slice)
        elif isinstance(node, ast.Call) and (called(node) in {"get", "setdefault", "pop"} | HASHES):
            places += node.args[:1]
    return {text for place in places for text in texts_within(place)}


def is_key_name(name: str) -> bool:
    return name.split("_")[-1] in KEY_NAMES


def called(node: ast.AST) -> str:
    """The last name of what is called; empty if nothing is."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def texts_within(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Raise | ast.Assert | ast.ExceptHandler):
        return set()
    found = {text for child in ast.iter_child_nodes(node) for text in texts_within(child)}
    is_text = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("repr", "str")
    if is_text or (isinstance(node, ast.FormattedValue) and node.conversion in (ord("r"), ord("s"))):
        found.add(ast.unparse(node))
    return found


def test_no_key_is_made_from_a_text_for_people() -> None:
    """`repr` and `str` may leave out what makes two things different: hints were once those of another position."""
    found = {str(path.relative_to(SOURCE)): text_keys(parsed(path)) for path in MODULES}
    wrong = {place: texts - WHOLE_TEXTS.get(place, set()) for place, texts in found.items()}
    assert {place: texts for place, texts in wrong.items() if texts} == {}, (
        "make it from the fields that decide equality"
    )


@pytest.mark.parametrize(
    "line",
    [
        "key = repr(position)",
        "self._key = f'{position!r}'",
        "hashlib.sha256(repr(position).encode())",
        "known[str(position)]",
        "known.get(f'{position!s}')",
        "def drill_identity(drill):\n    return [str(drill.position)]",
        "def name(plan):\n    fields = [repr(plan)]\n    return hashlib.sha256(json.dumps(fields).encode())",
    ],
)
def test_such_keys_are_found(line: str) -> None:
    assert text_keys(ast.parse(line))


def test_the_public_surface_is_as_listed() -> None:
    assert littlego.__all__ == sorted(littlego.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
    listed = ast.parse((SOURCE / "__init__.py").read_text())
    typed = {
        alias.asname or alias.name: node.module
        for node in ast.walk(listed)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("littlego.")
        for alias in node.names
    }
    assert vars(littlego)["_WHERE"] == typed, "what type checkers see is what is loaded"
    assert set(typed) == set(littlego.__all__)
    for name in littlego.__all__:
        assert getattr(littlego, name) is not None
    with pytest.raises(AttributeError):
        littlego.castle  # noqa: B018 - that it raises is the test


@pytest.mark.parametrize(
    "path", [path for path in MODULES if ">>> " in path.read_text()], ids=lambda path: str(path.relative_to(SOURCE))
)
def test_examples_in_docstrings_are_true(path: Path) -> None:
    name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
    tried = doctest.testmod(import_module(name), extraglobs={"lg": littlego})
    assert tried.attempted > 0
    assert tried.failed == 0


WITHOUT_EXAMPLE = {
    "GradeReport.points_of",  # these three are in the example of grade_agent, which takes a second
    "GradeReport.records",
    "GradeReport.to_dict",
    "Player.choose",  # a protocol
}


def public_functions() -> dict[str, object]:
    """The public functions, and the public methods of the public classes, by name."""
    found: dict[str, object] = {}
    for name in littlego.__all__:
        value = getattr(littlego, name)
        if inspect.isfunction(inspect.unwrap(value)):
            found[name] = inspect.unwrap(value)
        elif inspect.isclass(value):
            methods = {public: getattr(method, "__func__", method) for public, method in vars(value).items()}
            own = {public: method for public, method in methods.items() if inspect.isfunction(inspect.unwrap(method))}
            found |= {f"{name}.{public}": method for public, method in own.items() if not public.startswith("_")}
    return found


def test_every_public_function_has_an_example() -> None:
    functions = public_functions()
    assert len(functions) > 60
    assert {name for name, function in functions.items() if ">>> " not in (function.__doc__ or "")} == WITHOUT_EXAMPLE


@pytest.mark.xdist_group("together")
def test_groups_of_tests_stay_together(request: pytest.FixtureRequest) -> None:
    """Some versions of pytest and xdist ignore groups in silence, and every worker starts servers and a browser."""
    assert "PYTEST_XDIST_WORKER" not in os.environ or request.node.nodeid.endswith("@together")


def test_locks_name_no_index() -> None:
    locks = list(ROOT.glob("requirements*.lock"))
    assert len(locks) == 3
    for lock in locks:
        text = lock.read_text()
        assert "://" not in text
        packages = re.findall(r"^[\w.-]+==", text, re.M)
        assert len(packages) == len(re.findall(r"^[\w.-]+==[^\n]*\\\n    --hash=sha256:", text, re.M)) > 5


def test_the_version_is_the_same_everywhere() -> None:
    newest = re.findall(r"^## (\d+\.\d+\.\d+), \d+ \w+ \d{4}$", (ROOT / "CHANGELOG.md").read_text(), re.M)[0]
    cited = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    assert [littlego.__version__] == [newest] == cited
