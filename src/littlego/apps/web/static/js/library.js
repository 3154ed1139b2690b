// What this browser keeps: games, and how puzzles were answered. In a private window, or on a full disk, the pages work
// without it and say so once.

/**
 * A game that was played here: its address without the page, and what lists show of it.
 * @typedef {{ id: string, address: string, black: string, white: string, you: "black" | "white" | null, opponent: string,
 *   size: number, final: string, moves: number, winner: string | null, ended: boolean, when: number, helped?: boolean,
 *   review?: { won: number, given: number, only: number, found: number } }} Kept
 * @typedef {{ id: string, right: number, wrong: number, due: number, deck?: string, address?: string }} Answered
 */

const NAME = "littlego";
const STORES = ["games", "puzzles"];
const MOST_GAMES = 2000;

/** @type {Promise<IDBDatabase> | null} */
let opened = null;
let trouble = "";

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => STORES.forEach((name) => request.result.createObjectStore(name, { keyPath: "id" }));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/**
 * @template T
 * @param {string} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} action
 * @returns {Promise<T>}
 */
async function within(name, mode, action) {
  const transaction = (await database()).transaction(name, mode);
  const request = action(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error ?? request.error);
  });
}

/** What `otherwise` says, if the browser keeps nothing; `onTrouble` hears the sentence once. */
async function attemptKeeping(action, otherwise) {
  try {
    return await action();
  } catch (error) {
    const isFull = error?.name === "QuotaExceededError";
    const why = isFull ? "its storage for this site is full" : "it lets this page store nothing (a private window?)";
    if (!trouble) {
      trouble = `This browser does not keep your games: ${why}. Copy the link, or save the SGF.`;
      dispatchEvent(new CustomEvent("not-kept", { detail: trouble }));
    }
    return otherwise;
  }
}

/** The games, the newest first. @returns {Promise<Kept[]>} */
export const allGames = () =>
  attemptKeeping(async () => {
    const games = await within("games", "readonly", (store) => store.getAll());
    return games.sort((one, other) => other.when - one.when);
  }, []);

/** Keep a game, in place of an earlier state of it. @param {Kept} game */
export const keepGame = (game) =>
  attemptKeeping(async () => {
    await within("games", "readwrite", (store) => {
      const before = store.get(game.id); // in one transaction: it is kept even if the page is left at once
      before.onsuccess = () => {
        const review = before.result?.address === game.address ? before.result.review : undefined;
        store.put({ review, ...game });
      };
      return before;
    });
    const count = await within("games", "readonly", (store) => store.count());
    if (count > MOST_GAMES) {
      const games = await allGames();
      for (const { id } of games.slice(MOST_GAMES)) await forgetGame(id);
    }
  }, undefined);

/** @param {string} id */
const forgetGame = (id) => attemptKeeping(() => within("games", "readwrite", (store) => store.delete(id)), undefined);

/** Remember what a review found about the person's moves. @param {string} address @param {NonNullable<Kept["review"]>} review */
export const keepReview = (address, review) =>
  attemptKeeping(
    () =>
      within("games", "readwrite", (store) => {
        const games = store.getAll();
        games.onsuccess = () => {
          for (const game of games.result) if (game.address === address && game.you) store.put({ ...game, review });
        };
        return games;
      }),
    undefined,
  );

/** @returns {Promise<Answered[]>} */
export const allAnswers = () => attemptKeeping(() => within("puzzles", "readonly", (store) => store.getAll()), []);

/** @param {Answered} answer */
export const keepAnswer = (answer) =>
  attemptKeeping(() => within("puzzles", "readwrite", (store) => store.put(answer)), undefined);

/** @param {string} id */
export const forgetAnswer = (id) =>
  attemptKeeping(() => within("puzzles", "readwrite", (store) => store.delete(id)), undefined);

/** A new name for a game. */
export const newId = () => crypto.getRandomValues(new Uint32Array(2)).join("-");
