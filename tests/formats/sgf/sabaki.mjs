// Reads files as Sabaki does, by the package that Sabaki itself uses; prints their nodes, and the files as it writes them.
import sgf from "@sabaki/sgf";

const nodes = (tree) => [tree.data, ...tree.children.flatMap(nodes)];
const read = (path) => {
  const trees = sgf.parseFile(path);
  return { nodes: trees.map(nodes), text: sgf.stringify(trees) };
};
console.log(JSON.stringify(process.argv.slice(2).map(read)));
