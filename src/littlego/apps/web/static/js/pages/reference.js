// The API reference: every operation, its request and its response, from the OpenAPI description.

import { capital, h, replace } from "../dom.js";
import { language, t } from "../language/language.js";

export const title = "API";

export async function show(main) {
  const api = await (await fetch("/api/openapi.json")).json();
  const groups = new Map();
  for (const [path, item] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), operationCard(api, method, path, operation)]);
    }
  replace(
    main,
    h("div", { class: "stack reference" }, [
      h("header", {}, [
        h("h1", {}, "API"),
        api.info.description.split("\n\n").map((text) => h("p", {}, withCode(text))),
        h("p", {}, t("For programs:"), " ", h("a", { href: "/api/openapi.json" }, "/api/openapi.json"), " (OpenAPI)."),
        language !== "en" && h("p", { class: "soft" }, t("The descriptions are for programmers, and in English.")),
      ]),
      [...groups].map(([tag, cards]) => h("section", { class: "card" }, h("h2", {}, capital(tag)), cards)),
      h("section", { class: "card" }, h("h2", {}, t("Types")), types(api)),
    ]),
  );
}

function operationCard(api, method, path, operation) {
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith("2"));
  const [type, content] = Object.entries(answer.content ?? {})[0] ?? [];
  const summary = h("summary", {}, [
    h("code", { class: "method" }, method.toUpperCase()),
    [" ", h("code", {}, path), " ", firstLine(operation)],
  ]);
  return opening(summary, () => [
    rest(operation) && h("p", {}, withCode(rest(operation))),
    operation.parameters?.length > 0 && [h("h3", {}, t("Parameters")), parameters(operation.parameters)],
    body && [h("h3", {}, t("Body")), fields(api, body)],
    h("h3", {}, `${t("Response")}: ${status}${type ? `, ${type}` : ""}`),
    content?.schema && type === "application/json" && fields(api, content.schema),
    h("h3", {}, t("With curl")),
    h("pre", {}, curl(method, path, body && example(api, body))),
  ]);
}

// What is folded up is made when it is opened: there are hundreds of tables.
function opening(summary, content) {
  const box = h("details", {}, summary);
  box.addEventListener("toggle", () => box.append(h("div", {}, content())), { once: true });
  return box;
}

const rest = (operation) => (operation.description ?? "").split("\n").slice(1).join("\n").trim();
const firstLine = (operation) => (operation.description ?? operation.summary).split("\n")[0];

function types(api) {
  return Object.entries(api.components.schemas).map(([name, schema]) =>
    opening(h("summary", {}, h("code", {}, name), " ", (schema.description ?? "").split("\n")[0]), () => [
      fields(api, schema),
    ]),
  );
}

function parameters(list) {
  return table(list.map(({ name, schema, required }) => [name, typeName(schema), required ? "" : t("optional")]));
}

// The fields of a schema, one level deep; the types of the fields are listed on their own.
function fields(api, schema) {
  const shown = resolve(api, schema.type === "array" ? schema.items : schema);
  const variants = shown.oneOf ?? shown.anyOf;
  if (variants) return variants.map((one) => [h("p", {}, h("b", {}, typeName(one))), fields(api, one)]);
  if (!shown.properties) return h("p", {}, typeName(schema));
  const required = new Set(shown.required ?? []);
  const rows = Object.entries(shown.properties).map(([name, field]) => [
    name,
    typeName(field),
    [required.has(name) ? "" : t("optional"), field.description].filter(Boolean).join(": "),
  ]);
  return [schema.type === "array" && h("p", {}, t("A list of:")), table(rows)];
}

function table(rows) {
  return h("table", {}, [
    h("tbody", {}, [
      rows.map(([name, type, note]) =>
        h("tr", {}, h("th", { scope: "row" }, h("code", {}, name)), h("td", {}, type), h("td", {}, withCode(note))),
      ),
    ]),
  ]);
}

function resolve(api, schema) {
  return schema.$ref ? api.components.schemas[schema.$ref.split("/").at(-1)] : schema;
}

// A schema in a few words: "list of GameLine", "text or null", "one of black, white".
function typeName(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((one) => typeName(one)).join(t(" or "));
  if (schema.enum) return t("one of {values}", { values: schema.enum.join(", ") });
  if ("const" in schema) return `"${schema.const}"`;
  if (schema.type === "array") return t("list of {type}", { type: typeName(schema.items ?? {}) });
  if (schema.type === "object" && typeof schema.additionalProperties === "object")
    return t("by name: {type}", { type: typeName(schema.additionalProperties) });
  return (
    { string: t("text"), integer: t("whole number"), number: t("number"), boolean: t("yes or no"), null: "null" }[
      schema.type
    ] ?? "JSON"
  );
}

// A body for the operation: its required fields with their examples or defaults.
function example(api, schema) {
  const shown = resolve(api, schema);
  const given = {};
  for (const name of shown.required ?? []) {
    const field = resolve(api, shown.properties[name]);
    given[name] = field.examples?.[0] ?? field.default ?? placeholder(field);
  }
  return given;
}

function placeholder(field) {
  if (field.type === "array") return [];
  if (field.type === "integer" || field.type === "number") return field.minimum ?? 0;
  return "…";
}

function curl(method, path, body) {
  const parts = ["curl", '-H "Authorization: Bearer $(cat littlego-arena/token)"'];
  if (method !== "get") parts.push(`-X ${method.toUpperCase()}`);
  if (body) parts.push("-H 'content-type: application/json'", `-d '${JSON.stringify(body)}'`);
  return [...parts, `${location.origin}${path}`].join(" \\\n  ");
}

function withCode(text) {
  return text.split("`").map((part, number) => (number % 2 ? h("code", {}, part) : part));
}
