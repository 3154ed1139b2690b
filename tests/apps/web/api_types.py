"""TypeScript types of the API, made from its OpenAPI description: the pages' JavaScript is checked against them."""

from __future__ import annotations

import re
from typing import Any

_METHODS = ("get", "post", "put", "delete")


def typescript(description: dict[str, Any]) -> str:
    """The namespace `Api`: an interface for each schema, and for each method one with an overload for each path."""
    schemas = description["components"]["schemas"]
    parts = [_declaration(name, schemas[name]) for name in sorted(schemas)]
    parts += [_calls(method, description["paths"]) for method in _METHODS]
    return "declare namespace Api {\n" + "\n".join(parts) + "}\n"


def _declaration(name: str, schema: dict[str, Any]) -> str:
    if schema.get("type") != "object" or "properties" not in schema:
        return f"type {name} = {_type(schema)};\n"
    return f"interface {name} {_object(schema)}\n"


def _object(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    lines = [
        f'  "{name}"{"" if name in required else "?"}: {_type(field)};' for name, field in schema["properties"].items()
    ]
    return "{\n" + "\n".join(lines) + "\n}"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[-1])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(_type(one) for one in schema[several])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    if schema.get("type") == "array":
        return f"({_type(schema.get('items', {}))})[]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties", True)
        return f"{{ [key: string]: {_type(values) if isinstance(values, dict) else 'any'} }}"
    simple = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
    return simple.get(str(schema.get("type")), "any")


def _calls(method: str, paths: dict[str, Any]) -> str:
    # More fixed text first: `/api/games/${string}/review` before `/api/games/${string}`, which would match it, too.
    calls = [
        (re.sub(r"\{[^}]*\}", "${string}", path), item[method])
        for path, item in paths.items()
        if method in item
    ]  # fmt: skip
    calls.sort(key=lambda call: (-len(call[0].replace("${string}", "")), call[0]))
    lines = []
    for path, operation in calls:
        asks = any(parameter["in"] == "query" for parameter in operation.get("parameters", ()))
        where = f"`{path}`" + (f" | `{path}?${{string}}`" if asks else "")
        lines.append(f"  (path: {where}{_body(operation)}): Promise<{_answer(operation)}>;")
    return f"interface {method.capitalize()} {{\n" + "\n".join(lines) + "\n}\n"


def _body(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return f", body?: {_type(content['application/json']['schema'])}"
    return ", body: Blob" if content else ""


def _answer(operation: dict[str, Any]) -> str:
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            return _type(answer.get("content", {}).get("application/json", {}).get("schema", {}))
    return "any"
