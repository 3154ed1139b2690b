// Addresses: what comes after "#", so that any static host can serve the one document, under any prefix.

/** The place that is shown: the parts of its path, and what its query says. */
export function here() {
  const [path, query = ""] = location.hash.startsWith("#/") ? location.hash.slice(1).split(/\?(.*)/s) : [""];
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { path, parts, query: new URLSearchParams(query), whole: query ? `${path}?${query}` : path };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a person mistyped it
  }
}

/** Names the place anew without leaving it. @param {string} path @param {Record<string, any>} [state] */
export const rename = (path, state = {}) => history.replaceState({ ...history.state, ...state }, "", `#${path}`);
