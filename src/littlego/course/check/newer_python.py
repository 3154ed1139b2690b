"""What a Python file uses that older versions lack, read without running it.

Reported is what fails when it is run, or defined: names, arguments and operators of the standard library that are
known here, and syntax that a parser with `feature_version` lets pass. Code that asks for the version first, or catches
the failure, is left out; so are names that the file defines itself.
"""

from __future__ import annotations

import ast
import io
import token
import tokenize
from collections.abc import Iterator
from typing import Final, NamedTuple

_GENERIC: Final = frozenset({"list", "dict", "tuple", "set", "frozenset", "type", "collections.deque",
                             "collections.defaultdict", "collections.OrderedDict", "collections.Counter",
                             "collections.ChainMap", "queue.Queue", "re.Pattern", "re.Match"})  # fmt: skip
_TYPES: Final = _GENERIC | {"int", "float", "str", "bool", "bytes", "complex", "object", "bytearray", "range"}
_NAMES: Final = {
    "3.8": "math.prod math.isqrt math.comb math.perm math.dist functools.cached_property shlex.join statistics.fmean"
           " functools.singledispatchmethod statistics.NormalDist statistics.multimode statistics.quantiles"
           " typing.Final typing.Literal typing.Protocol typing.TypedDict typing.SupportsIndex typing.final"
           " typing.get_args typing.get_origin typing.runtime_checkable",
    "3.9": "math.lcm math.nextafter math.ulp functools.cache random.randbytes typing.Annotated",
    "3.10": "itertools.pairwise typing.TypeAlias typing.TypeGuard typing.ParamSpec typing.Concatenate"
            " statistics.correlation statistics.linear_regression types.NoneType types.UnionType contextlib.aclosing"
            " aiter anext EncodingWarning",
    "3.11": "math.cbrt math.exp2 enum.StrEnum typing.Self typing.Never typing.LiteralString typing.assert_never"
            " typing.assert_type typing.NotRequired typing.Required typing.Unpack typing.TypeVarTuple"
            " contextlib.chdir datetime.UTC operator.call hashlib.file_digest ExceptionGroup BaseExceptionGroup",
    "3.12": "itertools.batched math.sumprod random.binomialvariate typing.override typing.TypeAliasType",
}  # fmt: skip
_SINCE: Final = {name: version for version, names in _NAMES.items() for name in names.split()}
_MODULES: Final = {"importlib.metadata": "3.8", "multiprocessing.shared_memory": "3.8", "graphlib": "3.9",
                   "zoneinfo": "3.9", "tomllib": "3.11"}  # fmt: skip
_METHODS: Final = {"removeprefix": "3.9", "removesuffix": "3.9", "is_relative_to": "3.9", "with_stem": "3.9",
                   "bit_count": "3.10"}  # fmt: skip
_ARGUMENTS: Final = {
    "zip": {"strict": "3.10"},
    "sum": {"start": "3.8"},
    "itertools.accumulate": {"initial": "3.8"},
    "random.sample": {"counts": "3.9"},
    "dataclasses.dataclass": {"slots": "3.10", "kw_only": "3.10", "match_args": "3.10"},
    "dataclasses.field": {"kw_only": "3.10"},
    **{f"bisect.{name}": {"key": "3.10"} for name in ("bisect", "bisect_left", "bisect_right", "insort",
                                                      "insort_left", "insort_right")},
}  # fmt: skip
_METHOD_ARGUMENTS: Final = {"unlink": {"missing_ok": "3.8"}}
_CAUGHT: Final = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "TypeError",
                            "Exception", "BaseException"})  # fmt: skip
_ASKS: Final = frozenset({"version_info", "hexversion", "hasattr", "TYPE_CHECKING"})


class Use(NamedTuple):
    """Something that came with a version."""

    line: int
    what: str
    since: str
    """The version, such as `3.9`."""


def newer_uses(tree: ast.Module, source: bytes) -> list[Use]:
    """Everything in a file, by line, that is newer than Python 3.7, as far as this Python can parse it."""
    reader = _Reader(tree)
    reader.visit(tree)
    return sorted([*reader.found, *_newer_f_strings(source)])


class _Reader(ast.NodeVisitor):
    """Walks through a file, and knows where annotations are evaluated."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[Use] = []
        self._imported = dict(_imports(tree))
        self._own = {name for node in ast.walk(tree) for name in _bound(node)}
        self._is_lazy = any(
            isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.names[0].name == "annotations"
            for node in tree.body
        )
        self._in_function = self._in_annotation = self._in_finally = False

    def _add(self, node: ast.expr | ast.stmt, what: str, since: str | None) -> None:
        if since:
            self.found.append(Use(node.lineno, what, since))

    def _name(self, node: ast.expr) -> str:
        """`math.prod` for what was imported so, however it is called here; a built-in name; or empty."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id) or ("" if node.id in self._own else node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            module = self._name(node.value)
            return f"{module}.{node.attr}" if module else ""
        return ""

    # Definitions

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_decorators(node.decorator_list)
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        for annotation in [*(each.annotation for each in arguments if each), node.returns]:
            self._visit_annotation(annotation)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        self._visit_inside(node.body, in_function=True)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_decorators(node.decorator_list)
        for each in [*node.bases, *node.keywords]:
            self.visit(each)
        self._visit_inside(node.body, in_function=False)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if not self._in_function:  # there it is never evaluated
            self._visit_annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)

    def _visit_inside(self, body: list[ast.stmt], *, in_function: bool) -> None:
        before = self._in_function, self._in_finally
        self._in_function, self._in_finally = in_function, False
        for each in body:
            self.visit(each)
        self._in_function, self._in_finally = before

    def _visit_annotation(self, node: ast.expr | None) -> None:
        if node is not None and not self._is_lazy:
            self._in_annotation = True
            self.visit(node)
            self._in_annotation = False

    def _visit_decorators(self, decorators: list[ast.expr]) -> None:
        for each in decorators:
            if self._name(each) == "functools.lru_cache":
                self._add(each, "@lru_cache without ()", "3.8")
            inner = each.func if isinstance(each, ast.Call) else each
            while isinstance(inner, ast.Attribute):
                inner = inner.value
            if not isinstance(inner, ast.Name):
                self._add(each, "such a decorator", "3.9")
            self.visit(each)

    # Names

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(node, alias.name, _MODULES.get(alias.name))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module and not node.level:
            self._add(node, node.module, _MODULES.get(node.module))
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                self._add(node, name, _SINCE.get(name) or _MODULES.get(name))

    def visit_Name(self, node: ast.Name) -> None:
        if node.id not in self._imported:  # its import was reported
            self._add(node, node.id, _SINCE.get(self._name(node)))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in self._imported:
            self._add(node, self._name(node), _SINCE.get(self._name(node)))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = self._name(node.func)
        arguments = _ARGUMENTS.get(name, {})
        if isinstance(node.func, ast.Attribute) and node.func.attr not in self._own:
            self._add(node, f".{node.func.attr}()", _METHODS.get(node.func.attr))
            arguments = arguments or _METHOD_ARGUMENTS.get(node.func.attr, {})
        for keyword in node.keywords:
            self._add(node, f"{ast.unparse(node.func)}({keyword.arg}=...)", arguments.get(keyword.arg or ""))
        if name == "math.gcd" and len(node.args) != 2:
            self._add(node, "math.gcd of other than two numbers", "3.9")
        self.generic_visit(node)

    # Operators

    def visit_Subscript(self, node: ast.Subscript) -> None:
        name = self._name(node.value)
        if isinstance(node.ctx, ast.Load) and (name in _GENERIC or name.startswith("collections.abc.")):
            self._add(node, f"{ast.unparse(node.value)}[...]", "3.9")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.BitOr):
            sides = node.left, node.right
            if self._in_annotation or any(map(_is_none, sides)) or all(map(self._is_type, sides)):
                self._add(node, f"{ast.unparse(node)[:40]}, a union of types,", "3.10")
                return  # what is inside has the same reason
            if any(map(self._is_dict, sides)):
                self._add(node, "| between dicts", "3.9")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.op, ast.BitOr) and self._is_dict(node.value):
            self._add(node, "|= between dicts", "3.9")
        self.generic_visit(node)

    def _is_type(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.BitOr) and self._is_type(node.left) and self._is_type(node.right)
        return self._name(node.value if isinstance(node, ast.Subscript) else node) in _TYPES

    def _is_dict(self, node: ast.expr) -> bool:
        is_made = isinstance(node, ast.Call) and self._name(node.func) == "dict"
        return is_made or isinstance(node, ast.Dict | ast.DictComp)

    # Statements

    def visit_Return(self, node: ast.Return) -> None:
        self._check_stars(node)
        self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield) -> None:
        self._check_stars(node)
        self.generic_visit(node)

    def _check_stars(self, node: ast.Return | ast.Yield) -> None:
        value = node.value
        if isinstance(value, ast.Tuple) and any(isinstance(each, ast.Starred) for each in value.elts):
            first = value.elts[0]
            if (value.lineno, value.col_offset) == (first.lineno, first.col_offset):  # otherwise in parentheses
                self._add(value, "a * in such a tuple without parentheses", "3.8")

    def visit_Continue(self, node: ast.Continue) -> None:
        if self._in_finally:
            self._add(node, "continue inside finally", "3.8")

    def visit_For(self, node: ast.For | ast.While) -> None:
        before, self._in_finally = self._in_finally, False
        self.generic_visit(node)
        self._in_finally = before

    def visit_While(self, node: ast.While) -> None:
        self.visit_For(node)

    def visit_Try(self, node: ast.Try) -> None:
        is_caught = any(not handler.type or _names_in(handler.type) & _CAUGHT for handler in node.handlers)
        for each in [*([] if is_caught else node.body), *node.handlers, *node.orelse]:
            self.visit(each)
        before, self._in_finally = self._in_finally, True
        for each in node.finalbody:
            self.visit(each)
        self._in_finally = before

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        if not _names_in(node.test) & _ASKS:
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit_If(node)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What names stand for: `m` for `math`, `prod` for `math.prod`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.split(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (package, package)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node gives a meaning of the file's own: `dict = {}`, `def f(list)`, `class Final`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.attr


def _names_in(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _newer_f_strings(source: bytes) -> Iterator[Use]:
    """f-strings with their own quotes inside, and `{x=}`. Before Python 3.12 the parser itself refuses both."""
    start, end = getattr(token, "FSTRING_START", None), getattr(token, "FSTRING_END", None)
    if start is None:
        return
    quotes: list[str] = []
    before = ""
    for each in tokenize.tokenize(io.BytesIO(source).readline):
        if quotes and each.type in (token.STRING, start) and each.string.endswith(quotes[-1]):
            yield Use(each.start[0], "the same quotes inside an f-string", "3.12")
        if quotes and each.string in ("}", "!", ":") and before == "=":
            yield Use(each.start[0], "= in an f-string", "3.8")
        if each.type == start:
            quotes.append(each.string.lstrip("fFrRbBuU"))
        elif each.type == end:
            quotes.pop()
        before = each.string
