// The scene as text: line numbers, messages of `validate` at their lines, completion from the schema (Ctrl+Space, or while a
// word is written).
import { element } from "../src/panels/dom";
import { messageLine, placeAt } from "./json_place";
import type { Choice, Schema } from "./schema";

const PAUSE = 350; // ms after the last key before the text is judged
const CHOICES_MOST = 60;

const lineCount = (text: string) => text.split("\n").length;

export class Editor {
  readonly root = element("div", { class: "editor" });
  schema: Schema | null = null;
  private readonly area = element("textarea", { id: "editor", spellcheck: "false", autocomplete: "off", "aria-label": "scene as JSON; Escape, then Tab leaves it", wrap: "off" });
  private readonly gutter = element("div", { class: "gutter", "aria-hidden": "true" });
  private readonly list = element("ul", { class: "choices", role: "listbox", hidden: "" });
  private readonly said = element("div", { id: "messages", role: "status" });
  private marks = new Map<number, { kind: string; text: string }>();
  private choices: Choice[] = [];
  private chosen = 0;
  private timer = 0;
  private lines = 1;
  private leaves = false; // Escape was pressed: Tab goes on to what follows the editor

  constructor(private readonly changed: (text: string) => void) {
    this.root.append(element("div", { class: "sheet" }, element("div", { class: "margin" }, this.gutter), this.area, this.list), this.said);
    this.area.addEventListener("input", () => {
      this.lines = lineCount(this.text);
      this.leaves = false;
      this.drawGutter();
      this.complete(false);
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.changed(this.area.value), PAUSE);
    });
    this.area.addEventListener("scroll", () => this.drawGutter());
    new ResizeObserver(() => this.drawGutter()).observe(this.area);
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("blur", () => setTimeout(() => (this.list.hidden = true), 150));
  }

  get text(): string {
    return this.area.value;
  }

  set text(text: string) {
    this.area.value = text;
    this.lines = lineCount(text);
    this.show([], []);
  }

  /** Messages of `validate`: mistakes and warnings. */
  show(mistakes: string[], warnings: string[]): void {
    this.marks = new Map();
    const entries = [...warnings.map((text) => ["warned", text]), ...mistakes.map((text) => ["wrong", text])].map(([kind, message]) => {
      const found = messageLine(this.text, message);
      this.marks.set(found.line, { kind, text: found.text });
      const jump = element("button", { class: `message ${kind}`, "data-line": String(found.line) }, `line ${found.line}: ${found.text.replace(/^line \d+, /, "")}`);
      jump.addEventListener("click", () => this.goTo(found.line));
      return jump;
    });
    this.said.replaceChildren(...entries.reverse());
    this.drawGutter();
  }

  goTo(line: number): void {
    const lines = this.text.split("\n");
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    this.area.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(this.area).lineHeight));
  }

  // numbers of the lines in view: a text may have a million lines
  private drawGutter(): void {
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    const above = Math.floor(this.area.scrollTop / height);
    const last = Math.min(this.lines, above + Math.ceil(this.area.clientHeight / height) + 1);
    this.gutter.replaceChildren(
      ...Array.from({ length: Math.max(0, last - above) }, (_, i) => {
        const line = above + i + 1;
        const mark = this.marks.get(line);
        return element("div", mark ? { class: mark.kind, title: mark.text, "data-line": String(line) } : {}, String(line));
      }),
    );
    this.gutter.style.marginTop = `${-(this.area.scrollTop % height)}px`;
  }

  // ---- completion ----

  private complete(asked: boolean): void {
    const at = this.area.selectionStart;
    const before = this.text.slice(0, at);
    const place = placeAt(before, at);
    const inList = place.key === "" && /[[,]\s*"?[^"\]}]*$/.test(before);
    const dimension = /"dimension"\s*:\s*2/.test(this.text) ? 2 : 3;
    this.choices = this.schema && (asked || place.quoted || place.text) ? this.schema.choices(place, dimension, inList).slice(0, CHOICES_MOST) : [];
    if (this.choices.length === 1 && this.choices[0].text.replaceAll('"', "") === place.text) this.choices = [];
    this.chosen = 0;
    this.drawChoices();
  }

  private drawChoices(): void {
    this.list.hidden = this.choices.length === 0;
    this.list.replaceChildren(
      ...this.choices.map(({ text, about }, i) => {
        const entry = element("li", { role: "option", "aria-selected": String(i === this.chosen) }, element("b", {}, text.replaceAll('"', "")), element("small", {}, about));
        entry.addEventListener("mousedown", (event) => {
          event.preventDefault();
          this.insert(this.choices[i]);
        });
        return entry;
      }),
    );
    this.list.children[this.chosen]?.scrollIntoView?.({ block: "nearest" });
    const line = this.text.slice(0, this.area.selectionStart).split("\n").length;
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.list.style.top = `${Math.max(0, line * height - this.area.scrollTop + 8)}px`;
  }

  private insert({ text }: Choice): void {
    const at = this.area.selectionStart;
    const place = placeAt(this.text.slice(0, at), at);
    const from = at - place.text.length - (place.quoted ? 1 : 0);
    const closed = place.quoted && this.text[at] === '"' ? at + 1 : at;
    const more = place.key === null && !/^\s*:/.test(this.text.slice(closed)) ? ": " : "";
    this.area.setRangeText(text + more, from, closed, "end");
    this.list.hidden = true;
    this.area.dispatchEvent(new Event("input"));
    this.list.hidden = true;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.complete(true);
      return;
    }
    if (this.list.hidden) {
      if (event.key === "Escape") this.leaves = true;
      if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !this.leaves) {
        event.preventDefault();
        this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
      }
      return;
    }
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      event.preventDefault();
      this.chosen = (this.chosen + moves[event.key] + this.choices.length) % this.choices.length;
      this.drawChoices();
    } else if (event.key === "Tab" || event.key === "Enter") {
      event.preventDefault();
      this.insert(this.choices[this.chosen]);
    } else if (event.key === "Escape") {
      this.list.hidden = true;
      event.stopPropagation();
    }
  }
}
