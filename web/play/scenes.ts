// The scenes of the page: the gallery, the course and the first examples, as text. Scenes with files beside them and schemes
// that the module does not have are left out.
const texts = import.meta.glob(["../../scenes/gallery/*.json", "../../scenes/course/*.json", "../../scenes/*.json"], { query: "?raw", import: "default", eager: true }) as Record<string, string>;

const playable = (text: string) => !/"(file|scheme)"\s*:\s*"(?!moreau-jean|stewart-trinkle|generalized-alpha)/.test(text);

export const SCENES = new Map(
  Object.entries(texts)
    .filter(([, text]) => playable(text))
    .map(([path, text]) => [path.replace(/^.*\/scenes\//, "").replace(/\.json$/, ""), text.replace(/^ *"\$schema".*\n/m, "")]),
);

export const titleOf = (text: string): string => /"name"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? "scene";

/** What is shown where nothing else is asked for. */
export const FIRST = SCENES.get("gallery/card-house")!;
