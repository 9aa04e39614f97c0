// A scene under simulation: its world in a worker, its picture, what sliders, editor and pointer do to it.
import type { LiveWorld } from "../live/client";
import { AsperityError, type Description, type Frame } from "../live/module";
import type { Theme } from "../src/colours";
import { by } from "../src/panels/dom";
import { save } from "../src/plots/files";
import { badges, certificateRows } from "./certificate";
import { applied, type Slider, sliderRows, type Values } from "./controls";
import { analysisList, type Lesson, lessonBox, lessonOf, painleveDrawing, valueOf } from "./course";
import { Editor } from "./editor";
import { motionText, sceneText } from "./exports";
import { LiveRun } from "./live_run";
import { type Actions, buildPage, selectTab, toast } from "./page";
import { LivePlots } from "./plots";
import { SCENES } from "./scenes";
import { Schema } from "./schema";
import { decode, encode } from "./share";
import { type Grab, LiveView } from "./view";

const FIRST = "gallery/card-house";
const BUDGET = [16, 200]; // ms of steps before the worker answers, at least and at most: as long as pictures take
const SLOW = 40; // ms of a picture, that of one drawn by the processor
const LEFT_TO_STEPS = 2; // times as long as such a picture the next one waits, where the steps cannot keep their pace
const BEHIND = 0.3; // s that the simulation may lag before it stops trying to catch up

export class Playground {
  run!: LiveRun;
  view!: LiveView;
  about!: Description;
  running = false;
  steps = 0; // since the start, all of them
  pictures = 0; // drawn so far
  rate = 0; // steps a second of the last second
  tolerance = 0; // the coarsest since the start
  frame!: Frame;
  theme: Theme;
  values: Values = {};
  lesson: Lesson | undefined;
  busy = false;
  readonly editor = new Editor((text) => this.edited(text));
  private readonly plots = new LivePlots();
  private speed = 1;
  private text = "";
  private waiting = 0; // questions to the worker without an answer
  private queue: Promise<unknown> = Promise.resolve();
  private last = 0;
  private pace = { wall: 0, t: 0 }; // when the clock of the run was set, and to what
  private asked = 0; // for steps, ms
  private drawn = -1; // frame in the picture
  private drew = false; // at the last tick
  private pictureAt = 0; // ms: no picture before
  private late = false; // the run is behind its clock
  private counted = { at: 0, steps: 0 };
  private grab: Grab | null = null;
  private pullMost = 20; // times the body's weight

  private readonly actions: Actions = {
    toggleRunning: () => this.setRunning(!this.running),
    step: () => void this.step(),
    reset: () => void this.reset(),
    setSpeed: (speed) => (this.speed = speed),
    toggleContacts: (cones) => this.toggleContacts(cones),
    toggleTheme: () => this.toggleTheme(),
    share: () => void this.share(),
    export: () => this.exportAll(),
    openTab: (id) => this.openTab(id),
  };

  constructor(private readonly world: LiveWorld) {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const wish = new URLSearchParams(location.hash.slice(1)).get("theme");
    this.theme = wish === "dark" || wish === "light" ? wish : dark ? "dark" : "light";
    document.documentElement.dataset.theme = this.theme;
    buildPage(this.actions, { editor: this.editor.root, plots: this.plots.root });
    window.addEventListener("hashchange", () => void this.fromAddress());
    new ResizeObserver(() => {
      this.view?.stage.resize();
      this.plots.resize();
    }).observe(by("stage"));
  }

  async start(): Promise<void> {
    this.editor.schema = new Schema(JSON.parse(await this.world.schema()) as Record<string, unknown>);
    await this.fromAddress();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** One after the other: the worker answers in order, and what follows needs the answer. */
  private then<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++;
    const next = this.queue.then(work, work).finally(() => this.waiting--);
    this.queue = next.catch(() => {});
    return next;
  }

  /** Nothing is under way; for tests. */
  settled(): boolean {
    return this.waiting === 0;
  }

  private async fromAddress(): Promise<void> {
    const wish = new URLSearchParams(location.hash.slice(1));
    const shared = wish.has("s") ? await decode(wish.get("s")!) : null;
    const given = by("asperity-scene")?.textContent;
    const lesson = lessonOf(shared?.course ?? wish.get("course"));
    if (wish.has("s") && !shared) toast("the link is damaged: it holds no scene");
    if (shared) await this.open(shared.scene, shared.settings as Values, lesson);
    else if (lesson) await this.open(SCENES.get(lesson.scene)!, {}, lesson);
    else await this.open(SCENES.get(wish.get("scene") ?? "") ?? given ?? SCENES.get(FIRST)!, {}, undefined);
    if (wish.has("tab")) this.openTab(wish.get("tab")!);
    this.setRunning(wish.get("run") === "1");
  }

  // ---- scenes ----

  /** A scene from its start. */
  async open(text: string, values: Values, lesson?: Lesson): Promise<void> {
    this.lesson = lesson;
    this.values = { ...values };
    this.editor.text = text;
    this.showLesson();
    await this.reload(text, false);
  }

  private edited(text: string): void {
    void this.then(async () => {
      const { mistakes, warnings } = await this.world.validate(text);
      this.editor.show(mistakes, warnings);
      return mistakes.length === 0;
    }).then((sound) => {
      if (sound) void this.reload(text, false);
    });
  }

  /** The world anew: from the start, or with its bodies where they are. */
  async reload(text: string, keep: boolean): Promise<void> {
    try {
      await this.then(async () => {
        const { text: patched, settings } = applied(text, this.values);
        const { messages, description, frame } = await this.world.load(patched, settings, keep);
        this.text = text;
        this.about = description;
        this.editor.show([], messages.warnings);
        for (const [key, value] of Object.entries(this.values)) if (key.startsWith("input:")) await this.world.setInput(key.slice(6), value);
        this.take(frame, keep);
      });
      if (!keep) this.buildSliders();
      await this.analyze();
    } catch (error) {
      this.setRunning(false);
      if (error instanceof AsperityError && error.messages) this.editor.show(error.messages.mistakes, error.messages.warnings);
      toast((error as Error).message.replace(/^scene: /, ""));
    }
  }

  private take(frame: Frame, keep: boolean): void {
    this.frame = frame;
    this.tolerance = Math.max(keep ? this.tolerance : 0, this.about.run.tolerance);
    if (keep && this.run.bodies === this.about.bodies.name.length) {
      this.run.append(frame);
      this.pace = { wall: performance.now(), t: frame.t };
      return;
    }
    this.steps = 0;
    this.drawn = 0;
    this.counted = { at: performance.now(), steps: 0 };
    this.view?.close();
    this.run = new LiveRun(this.about, frame);
    this.view = new LiveView(by<HTMLCanvasElement>("canvas"), this.run, this.theme, (grab) => this.pull(grab));
    if (this.lesson?.id === "arch") this.view.showsThrust = true;
    this.plots.start(this.run);
    by("title").querySelector("h1")!.textContent = this.about.name;
    document.title = `${this.about.name} · Asperity`;
    this.showTexts(true);
  }

  // ---- time ----

  setRunning(on: boolean): void {
    const began = on && !this.running;
    this.running = on;
    this.last = performance.now();
    this.pace = { wall: this.last, t: this.frame?.t ?? 0 };
    if (began && !this.busy) void this.keepRunning();
    this.view?.stage.setMoving(on);
    const button = by("play");
    button.textContent = on ? "❚❚" : "▶";
    button.setAttribute("aria-label", on ? "pause" : "run");
    this.showTexts(true);
  }

  async reset(): Promise<void> {
    const running = this.running;
    this.setRunning(false);
    await this.reload(this.text, false);
    this.setRunning(running && this.lesson !== undefined);
  }

  private tick(now: number): void {
    const passed = Math.max(0, now - this.last);
    this.last = now;
    if (this.drew) {
      if (this.running) this.view.keepPace(Math.min(1, passed / 1000));
      this.pictureAt = now + (this.running && this.late && passed > SLOW ? LEFT_TO_STEPS * passed : 0);
    }
    this.drew = now >= this.pictureAt || !this.running;
    if (this.drew && this.run) {
      if (this.drawn !== this.run.frames - 1) this.view.show((this.drawn = this.run.frames - 1));
      this.view.render();
      this.pictures++;
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Steps in real time times the speed, or as fast as they go; pictures are drawn beside. */
  private async keepRunning(): Promise<void> {
    while (this.running) {
      const now = performance.now();
      const wanted = this.pace.t + ((now - this.pace.wall) / 1000) * this.speed;
      this.late = wanted > this.frame.t;
      if (wanted - this.frame.t > BEHIND * this.speed) this.pace = { wall: now, t: this.frame.t };
      if (wanted <= this.frame.t) await new Promise((wake) => setTimeout(wake, Math.min(50, (1000 * (this.frame.t - wanted)) / this.speed + 1)));
      else await this.advance(wanted, Number.MAX_SAFE_INTEGER);
    }
  }

  async advance(until: number, most: number): Promise<void> {
    this.busy = true;
    try {
      const asked = performance.now();
      const budget = Math.min(BUDGET[1], Math.max(BUDGET[0], asked - this.asked));
      this.asked = asked;
      const { made, frame } = await this.then(() => this.world.advance(until, most, budget));
      this.steps += made;
      this.frame = frame;
      if (made > 0) this.run.append(frame);
      if (made === 0 && this.running && frame.t < until - 1e-9) {
        this.setRunning(false);
        toast((await this.then(() => this.world.verdict())).stopped ?? "the run has ended");
      }
      this.showTexts(false);
      this.plots.draw();
    } catch (error) {
      this.setRunning(false);
      toast((error as Error).message);
    }
    this.busy = false;
  }

  async step(): Promise<void> {
    this.setRunning(false);
    await this.advance(Infinity, 1);
    this.showTexts(true);
    this.plots.draw(true);
  }

  private pull(grab: Grab | null): void {
    this.grab = grab;
    if (grab) this.plots.pick(grab.body);
    const gravity = Math.hypot(...this.about.gravity) || 10;
    const most = grab ? this.pullMost * gravity * (this.about.bodies.mass[grab.body] || 1) : 0;
    void this.then(() => this.world.pull(this.grab ? this.view.pullOf(this.grab, most) : null));
    if (grab && !this.running) toast("press run: the spring pulls while time passes");
  }

  // ---- what is said ----

  private textsAt = 0;

  private showTexts(now: boolean): void {
    const at = performance.now();
    if (!this.frame || (!now && at - this.textsAt < 120)) return;
    this.textsAt = at;
    if (at - this.counted.at > 900) {
      this.rate = ((this.steps - this.counted.steps) * 1000) / (at - this.counted.at);
      this.counted = { at, steps: this.steps };
    }
    const { info } = this.frame;
    by("clock").textContent = `${this.frame.t.toFixed(3)} s · step ${info.step}${this.running ? ` · ${Math.round(this.rate)}/s` : ""}`;
    by("subtitle").replaceChildren(...badges(info, this.tolerance));
    if (!by("page-certificate").hidden) void this.showCertificate();
  }

  private async showCertificate(): Promise<void> {
    const verdict = await this.then(() => this.world.verdict());
    by("page-certificate").replaceChildren(...certificateRows(this.frame.info, verdict, this.about, this.tolerance));
  }

  // ---- sliders and lessons ----

  private buildSliders(): void {
    const pull = { value: this.pullMost, set: (most: number) => (this.pullMost = most) };
    by("sliders").replaceChildren(...sliderRows(this.text, this.about, this.values, (slider, value) => void this.set(slider, value), pull));
  }

  set(slider: Slider, value: number): Promise<void> {
    this.values = { ...this.values, [slider.key]: value };
    if (slider.key.startsWith("input:")) return this.then(() => this.world.setInput(slider.key.slice(6), value));
    const keep = !(this.lesson?.restart && slider.key !== "dt" && slider.key !== "tolerance") && this.frame.info.step > 0;
    return this.reload(this.text, keep);
  }

  private showLesson(): void {
    by("lesson").hidden = !this.lesson;
    by<HTMLSelectElement>("scenes").value = this.lesson ? `course:${this.lesson.id}` : "";
    if (this.lesson) by("lesson").replaceChildren(...lessonBox(this.lesson));
  }

  private async analyze(): Promise<void> {
    const { lesson } = this;
    if (!lesson?.levels || this.frame.info.step > 0) return;
    const parameter = (name: string) => valueOf(this.values, name, this.about.parameters.find((one) => one.name === name)?.value ?? 0);
    if (lesson.painleve) by("drawing").replaceChildren(painleveDrawing(parameter("phi"), parameter("mu")));
    const found = [];
    for (const level of lesson.levels) found.push(await this.then(() => this.world.analyze(level)));
    by("solutions")?.replaceChildren(...found.map(analysisList));
  }

  // ---- the page ----

  private toggleTheme(): void {
    this.theme = this.theme === "light" ? "dark" : "light";
    document.documentElement.dataset.theme = this.theme;
    this.view.setTheme(this.theme);
    this.plots.draw(true);
  }

  private toggleContacts(cones = false): void {
    const { contacts } = this.view;
    if (cones) contacts.showsCones = !contacts.showsCones;
    else contacts.root.visible = !contacts.root.visible;
    this.view.show(this.view.shown);
  }

  openTab(id: string): void {
    if (!selectTab(id)) return;
    if (id === "plots") this.plots.draw(true);
    if (id === "certificate" && this.frame) void this.showCertificate();
  }

  async link(): Promise<string> {
    return `${location.href.split("#")[0]}#s=${await encode({ scene: this.editor.text, settings: this.values, course: this.lesson?.id })}`;
  }

  private async share(): Promise<void> {
    const link = await this.link();
    history.replaceState(null, "", link);
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    toast(copied ? "link copied: it holds the scene and the sliders" : "the address of this page now holds the scene and the sliders");
  }

  private exportAll(): void {
    const name = this.about.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    save(`${name}.json`, sceneText(this.text, this.values), "application/json");
    save(`${name}.csv`, motionText(this.run), "text/csv");
  }
}
