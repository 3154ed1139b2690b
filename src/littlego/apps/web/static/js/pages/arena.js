// Arena: upload agents and create tournaments. One agent and one tournament have pages of their own.

import { button, h, labelled, onSubmit, replace, select } from "../dom.js";
import { t, when } from "../language/language.js";
import { about, get, post, put, signOut } from "../server/api.js";

export const title = t("Arena");

export async function show(main, [what, id], { go }) {
  if (what === "agent" && id) return (await import("./agent.js")).showAgent(main, id, go);
  if (what === "tournament" && id) return (await import("./tournament.js")).showTournament(main, id, go);
  if (what === "wall") return (await import("./wall.js")).showWall(main, id);
  return showAll(main, go);
}

const called = (agent) => agent.label + (agent.student ? ` ${t("of {name}", { name: agent.student })}` : "");

// Who can take part in a tournament, as choices.
export const entrants = (agents, players) => [
  ...agents.map((agent) => [`agent:${agent.id}`, called(agent)]),
  ...players.filter((player) => player.name !== "strongest").map((player) => [player.name, player.name]),
];

async function showAll(main, go) {
  const [agents, tournaments, players] = await Promise.all([
    get("/api/agents"),
    get("/api/tournaments"),
    get("/api/players"),
  ]);
  const server = await about(); // after those, which may ask who you are
  const file = h("input", { type: "file", accept: ".zip,.py,.cpp,.java", required: true });
  const name = h("input", {
    name: "name",
    placeholder: "my-agent",
    maxlength: 40,
    pattern: "[A-Za-z0-9][A-Za-z0-9_.+\\-]*",
    title: t("letters, digits and . _ + -"),
  });
  const newTournament = h("form", { class: "stack", onsubmit: onSubmit(createTournament) }, [
    h("div", { class: "choice" }, [
      labelled(t("Name"), h("input", { name: "name", value: t("Tournament"), maxlength: 60, required: true })),
      labelled(
        t("Format"),
        select({ name: "format" }, [
          ["round-robin", t("round robin")],
          ["gauntlet", t("gauntlet: the first plays all")],
          ["swiss", t("Swiss")],
        ]),
      ),
      labelled(t("Games per pair"), h("input", { name: "games", type: "number", min: 1, max: 1000, value: 4 })),
      labelled(
        t("Openings"),
        select({ name: "openings" }, [
          ["0", t("none")],
          ["1", t("1 move")],
          ["2", t("2 moves")],
          ["3", t("3 moves")],
        ]),
      ),
    ]),
    h("fieldset", {}, [
      h("legend", {}, t("Players")),
      h("div", { class: "checks" }, [
        entrants(agents, players).map(([value, text]) =>
          h("label", {}, h("input", { type: "checkbox", name: "players", value }), text),
        ),
      ]),
    ]),
    h("button", {}, t("Create and run")),
  ]);
  replace(
    main,
    h("div", { class: "stack" }, [
      h("header", {}, [
        h("h1", {}, t("Arena")),
        h("p", { class: "lead" }, t("Bring an agent, have it checked and graded, and let it play the others.")),
        server.student &&
          h("p", {}, [
            t(
              "You are {name}. Only you and your teacher see your agents and games. The name of your agents in tournaments is {called}.",
              server.student,
            ),
            " ",
            button(t("Sign out"), "quiet small", signOut),
          ]),
      ]),
      h("div", { class: "columns" }, [
        h("section", { class: "card stack" }, [
          h("div", { class: "row between" }, [
            h("h2", {}, t("Tournaments")),
            server.owner && h("a", { href: "/arena/wall" }, t("On the wall")),
          ]),
          server.owner && newTournament,
          links(t("Tournaments"), tournaments, (tournament) => [
            h("a", { href: `/arena/tournament/${tournament.id}` }, tournament.name),
            " ",
            h("small", {}, when(tournament.updated)),
          ]),
        ]),
        h("section", { class: "card stack" }, [
          h("h2", {}, t("Agents")),
          h("p", {}, [
            t(
              "A .zip file, or a file named as the course requires: my_player3.py, my_player.cpp, … Only the referee runs it, in its sandbox.",
            ),
          ]),
          h("form", { class: "stack", onsubmit: onSubmit(upload) }, [
            labelled(t("File"), file),
            labelled(t("Name"), name),
            h("button", {}, t("Upload")),
          ]),
          server.local &&
            h("form", { class: "stack", onsubmit: onSubmit(pointAt) }, [
              labelled(
                t("or a directory on this machine"),
                h("input", { name: "path", placeholder: t("path/to/agent"), maxlength: 400 }),
              ),
              h("button", { class: "quiet" }, t("Use this directory")),
            ]),
          links(t("Agents"), agents, (agent) => [
            h("a", { href: `/arena/agent/${agent.id}` }, agent.label),
            server.owner && agent.student && ` ${t("of {name}", { name: agent.student })}`,
            " ",
            h("code", { class: "soft" }, `agent:${agent.id}`),
          ]),
        ]),
      ]),
    ]),
  );

  async function upload() {
    const chosen = file.files[0];
    const plain = (name.value.trim() || chosen.name.replace(/\.[a-z]+$/i, "")).replace(/[^A-Za-z0-9_.+-]/g, "_");
    const query = `name=${encodeURIComponent(plain)}&file=${encodeURIComponent(chosen.name)}`;
    const agent = await put(`/api/agents?${query}`, chosen);
    go(`/arena/agent/${agent.id}`);
  }

  async function pointAt({ path }) {
    const agent = await post("/api/agents", { player: path.trim() });
    go(`/arena/agent/${agent.id}`);
  }

  async function createTournament({ name, format, games, openings }) {
    const players = /** @type {string[]} */ (new FormData(newTournament).getAll("players"));
    if (players.length < 2) throw new Error(t("choose two players or more"));
    const numbers = { games: Number(games), openings: Number(openings) };
    const tournament = await post("/api/tournaments", { name, format, players, ...numbers });
    await post(`/api/tournaments/${tournament.id}/run`);
    go(`/arena/tournament/${tournament.id}`);
  }
}

const links = (label, things, draw) =>
  things.length > 0 && h("ul", { class: "plain", "aria-label": label }, [things.map((one) => h("li", {}, draw(one)))]);
