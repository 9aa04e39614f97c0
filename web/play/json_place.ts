// Places in a JSON text: the line of a path like /bodies/2/mass, and the path of a place while it is being written. The
// scanner takes broken text as it is.

export type Path = (string | number)[];

interface Level {
  list: boolean;
  key: string | null; // of an object: the key whose value comes
  index: number; // of a list
}

export interface Place {
  path: Path; // of the object or list around it
  key: string | null; // of the value being written; null: a key is being written
  text: string; // what is written of it so far, without the opening quote
  quoted: boolean;
  keys: string[]; // that the object has before this place
}

type Visit = (path: () => Path, start: number) => void;

/** Goes over the text up to `end`; calls `visit` at the beginning of every key and every item of a list. */
function scan(text: string, end: number, visit: Visit): { levels: Level[]; open: number; keys: string[][]; last: number } {
  const levels: Level[] = [];
  const keys: string[][] = [];
  let expectKey = false;
  let open = -1; // where a text began that is not closed before `end`
  let last = 0; // behind the last mark
  const path = (): Path => levels.map(({ list, key, index }) => (list ? index : (key ?? "")));
  const item = (at: number) => {
    const top = levels.at(-1);
    if (top?.list) visit(path, at);
  };
  for (let i = 0; i < end; i++) {
    const c = text[i];
    if (c === '"') {
      const start = i++;
      while (i < end && text[i] !== '"' && text[i] !== "\n") i += text[i] === "\\" ? 2 : 1;
      if (i >= end) {
        open = start;
        break;
      }
      const top = levels.at(-1);
      if (expectKey && top) {
        top.key = text.slice(start + 1, i);
        keys.at(-1)!.push(top.key);
        visit(path, start);
        expectKey = false;
      } else item(start);
      last = i + 1;
    } else if (c === "{" || c === "[") {
      item(i);
      levels.push({ list: c === "[", key: null, index: 0 });
      keys.push([]);
      expectKey = c === "{";
      last = i + 1;
    } else if (c === "}" || c === "]") {
      levels.pop();
      keys.pop();
      expectKey = false;
      last = i + 1;
    } else if (c === ",") {
      const top = levels.at(-1);
      if (top?.list) top.index++;
      else if (top) {
        top.key = null;
        expectKey = true;
      }
      last = i + 1;
    } else if (c === ":") last = i + 1;
    else if (!/\s/.test(c)) {
      item(i);
      while (i + 1 < end && /[^\s,\]}:]/.test(text[i + 1])) i++;
    }
  }
  return { levels, open, keys, last };
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** Line (from 1) of a path; of its nearest parent where it is missing. */
export function lineOf(text: string, wanted: string): number {
  const parts = wanted.split("/").filter(Boolean);
  let best = -1;
  let at = 0;
  scan(text, text.length, (path, start) => {
    const here = path();
    if (here.length <= best || here.length > parts.length) return;
    if (here.every((part, i) => String(part) === parts[i])) {
      best = here.length;
      at = start;
    }
  });
  return lineAt(text, at);
}

/** The line that a message of `validate` is about, and its text without the place. */
export function messageLine(text: string, message: string): { line: number; text: string } {
  const said = message.replace(/^scene: /, "");
  const byLine = /^line (\d+), column \d+: /.exec(said);
  if (byLine) return { line: Number(byLine[1]), text: said };
  const byPath = /^(\/[^:\s]*): /.exec(said);
  return { line: byPath ? lineOf(text, byPath[1]) : 1, text: said };
}

/** What is being written at an offset. */
export function placeAt(text: string, offset: number): Place {
  const { levels, open, keys, last } = scan(text, offset, () => {});
  const top = levels.at(-1);
  const inKey = top !== undefined && !top.list && top.key === null;
  const key = inKey ? null : (top?.list ? "" : (top?.key ?? ""));
  return {
    path: levels.slice(0, -1).map(({ list, key: name, index }) => (list ? index : (name ?? ""))),
    key,
    text: open >= 0 ? text.slice(open + 1, offset) : text.slice(last, offset).trim(),
    quoted: open >= 0,
    keys: keys.at(-1) ?? [],
  };
}
