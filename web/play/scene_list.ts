// The list of scenes and lessons. What is chosen becomes the address of the page; what is shown is selected.
import { by, element } from "../src/panels/dom";
import { type Lesson, LESSONS } from "./course";
import { SCENES, titleOf } from "./scenes";

/** `open`: opens what the address asks for. */
export function sceneList(open: () => void): HTMLElement {
  const list = element("select", { id: "scenes", class: "wide", "aria-label": "scenes and course" });
  const option = (value: string, text: string) => element("option", { value }, text);
  const group = (label: string, options: HTMLElement[]) => element("optgroup", { label }, ...options);
  const named = (folder: RegExp) => [...SCENES].filter(([name]) => folder.test(name)).map(([name, text]) => option(`scene:${name}`, titleOf(text)));
  const own = option("", "");
  list.append(own, group("Course", LESSONS.map(({ id, title }) => option(`course:${id}`, title))), group("Gallery", named(/^gallery\//)), group("Examples", named(/^[^/]+$/)));
  list.addEventListener("change", () => {
    const [kind, name] = list.value.split(/:(.*)/);
    if (!kind) return;
    const hash = `#${kind}=${name}`;
    if (location.hash === hash) open(); // the same again, as it was before it was edited
    else location.hash = hash;
  });
  return list;
}

/** Selects the scene or lesson that is shown; a scene that is not of the list, or edited, has a place of its own in front. */
export function selectScene(text: string, lesson: Lesson | undefined): void {
  const list = by<HTMLSelectElement>("scenes");
  const name = [...SCENES].find(([, one]) => one === text)?.[0];
  list.value = lesson ? `course:${lesson.id}` : `scene:${name}`;
  const own = list.options[0];
  own.hidden = list.selectedIndex > 0;
  if (own.hidden) return;
  own.textContent = titleOf(text);
  list.selectedIndex = 0;
}
