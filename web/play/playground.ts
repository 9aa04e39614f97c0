// A scene under simulation: its world in a worker, its picture, what sliders, editor and pointer do to it.
import type { LiveWorld } from "../live/client";
import { AsperityError, type Description, type Frame } from "../live/module";
import type { Theme } from "../src/colours";
import { by } from "../src/panels/dom";
import { copyLink, firstTheme, linkTo, wishOfAddress } from "./address";
import { certificateRows } from "./certificate";
import { Clock } from "./clock";
import { slidersOf, stillMeant, type Values } from "./controls";
import { drawLesson, type Lesson, showLesson, showSolutions } from "./course";
import { Editor } from "./editor";
import { saveFiles } from "./exports";
import { LiveRun } from "./live_run";
import { type Actions, buildPage, selectTab, toast } from "./page";
import { carryOut, type Plan, setsBeginning } from "./plan";
import { LivePlots } from "./plots";
import { selectScene } from "./scene_list";
import { FIRST } from "./scenes";
import { Schema } from "./schema";
import { Sliders } from "./sliders";
import { showRunning, Status } from "./status";
import { Turns } from "./turns";
import { type Grab, LiveView } from "./view";

export class Playground {
  run!: LiveRun;
  view!: LiveView;
  about!: Description;
  running = false;
  steps = 0; // since the start, all of them
  pictures = 0; // drawn so far
  tolerance = 0; // the coarsest since the start
  frame!: Frame;
  theme: Theme;
  values: Values = {};
  lesson: Lesson | undefined;
  busy = false;
  readonly editor = new Editor((text) => this.edited(text));
  private readonly sliders = new Sliders((key, value) => void this.set(key, value));
  private readonly plots = new LivePlots();
  private readonly turns = new Turns();
  private readonly clock = new Clock();
  private readonly status = new Status();
  private text = "";
  private moved: Values | null = null; // sliders, for the world that is to be made next
  private drawn = -1; // frame in the picture
  private opened: Lesson | undefined; // of the view
  private grab: Grab | null = null;
  private pullMost = 20; // times the body's weight

  private readonly actions: Actions = {
    toggleRunning: () => this.setRunning(!this.running),
    step: () => void this.step(),
    reset: () => void this.reset(),
    setSpeed: (speed) => (this.clock.speed = speed),
    toggleContacts: (cones) => this.view.toggleContacts(cones),
    toggleTheme: () => this.toggleTheme(),
    share: () => void this.link().then(copyLink).then(toast),
    export: () => saveFiles(this.run, this.text, this.values),
    openTab: (id) => this.openTab(id),
    openAddress: () => void this.fromAddress(),
    turn: (azimuth, elevation, nearer) => this.view.turn(azimuth, elevation, nearer),
    resetView: () => this.view.resetView(),
    next: (by) => this.plots.next(by),
  };

  constructor(private readonly world: LiveWorld) {
    this.theme = firstTheme();
    document.documentElement.dataset.theme = this.theme;
    buildPage(this.actions, { editor: this.editor.root, plots: this.plots.root, sliders: this.sliders.root });
    window.addEventListener("hashchange", this.actions.openAddress);
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

  settled = (): boolean => this.turns.done; // nothing is under way; for tests

  private async fromAddress(): Promise<void> {
    const { text, values, lesson, tab, run, complaint } = await wishOfAddress();
    if (complaint) toast(complaint);
    const sound = await this.open(text, values, lesson);
    if (tab || !sound) this.openTab(sound ? tab! : "editor");
    this.setRunning(run && sound);
  }

  // ---- scenes ----

  /** A scene from its start; false where it is refused: the editor has its mistakes, and what ran before runs on, or the first scene. */
  async open(text: string, values: Values, lesson?: Lesson): Promise<boolean> {
    this.lesson = lesson;
    this.editor.text = text;
    showLesson(lesson, (values) => Object.entries(values).forEach(([key, value]) => void this.set(key, value)));
    selectScene(text, lesson);
    const sound = await this.reload(() => ({ text, values, keep: false }));
    if (!sound && !this.view) await this.reload(() => ({ text: FIRST, values: {}, keep: false }));
    return sound;
  }

  private async edited(text: string): Promise<void> {
    const { mistakes, warnings } = await this.turns.then(() => this.world.validate(text));
    if (text !== this.editor.text) return; // written on meanwhile
    this.editor.show(mistakes, warnings);
    if (mistakes.length) return;
    selectScene(text, this.lesson);
    await this.reload(() => ({ text, values: stillMeant(this.values, this.text, text), keep: false }));
  }

  /** The world anew; false where the scene or a value is refused, and the one before stays. `plan` is asked when its turn comes. */
  async reload(plan: () => Plan): Promise<boolean> {
    try {
      await this.turns.then(async () => {
        const wanted = plan();
        const { messages, description, frame } = await carryOut(this.world, wanted);
        [this.text, this.values, this.about] = [wanted.text, wanted.values, description];
        if (this.text === this.editor.text) this.editor.show([], messages.warnings);
        this.take(frame, wanted.keep);
      });
      this.showSliders(false);
      await this.analyze();
      return true;
    } catch (error) {
      this.setRunning(false);
      this.showSliders(true);
      if (error instanceof AsperityError && error.messages && this.text !== this.editor.text) this.editor.show(error.messages.mistakes, error.messages.warnings);
      toast((error as Error).message.replace(/^scene: /, "").replace("--set: ", ""));
      return false;
    }
  }

  private take(frame: Frame, keep: boolean): void {
    this.frame = frame;
    this.tolerance = Math.max(keep ? this.tolerance : 0, this.about.run.tolerance);
    if (keep && this.run.bodies === this.about.bodies.name.length) {
      this.run.append(frame);
      this.clock.set(frame.t);
      this.view.tilt(this.about.gravity);
      return;
    }
    this.steps = 0;
    this.drawn = 0;
    this.status.restart();
    this.view?.close();
    this.run = new LiveRun(this.about, frame);
    const shows = { ...this.lesson?.shows, before: this.opened === this.lesson ? this.view?.trodden : [] };
    this.opened = this.lesson;
    by("title").querySelector("h1")!.textContent = this.about.name; // the view leaves room for it
    this.view = new LiveView(by<HTMLCanvasElement>("canvas"), this.run, this.theme, shows, (grab) => this.pull(grab));
    this.plots.start(this.run);
    document.title = `${this.about.name} · Asperity`;
    by("canvas").ariaLabel = `picture of ${this.about.name}`;
    this.showTexts(true);
  }

  // ---- time ----

  setRunning(on: boolean): void {
    const began = on && !this.running;
    this.running = on;
    this.clock.restart();
    this.clock.set(this.frame?.t ?? 0);
    if (began && !this.busy) void this.keepRunning();
    this.view?.stage.setMoving(on);
    showRunning(on);
    this.showTexts(true);
    if (!on) this.plots.draw(true);
  }

  async reset(): Promise<void> {
    const running = this.running;
    this.setRunning(false);
    await this.reload(() => ({ text: this.text, values: this.values, keep: false }));
    this.setRunning(running && this.lesson !== undefined);
  }

  private tick(now: number): void {
    const due = this.clock.pictureDue(now, this.running, (seconds) => this.view?.keepPace(seconds));
    if (due && this.run) {
      if (this.drawn !== this.run.frames - 1) this.view.show((this.drawn = this.run.frames - 1));
      this.view.render();
      this.pictures++;
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Steps in real time times the speed, or as fast as they go; pictures are drawn beside. */
  private async keepRunning(): Promise<void> {
    while (this.running) {
      const { t } = this.frame;
      const wanted = this.clock.wanted(t);
      if (wanted > t) await this.advance(wanted, Number.MAX_SAFE_INTEGER);
      else await this.clock.wait(t - wanted);
    }
  }

  async advance(until: number, most: number): Promise<void> {
    this.busy = true;
    try {
      const budget = this.clock.budget();
      const { made, frame } = await this.turns.then(() => this.world.advance(until, most, budget));
      this.steps += made;
      this.frame = frame;
      if (made > 0) this.run.append(frame);
      if (made === 0 && this.running && frame.t < until - 1e-9) {
        this.setRunning(false);
        toast((await this.turns.then(() => this.world.verdict())).stopped ?? "the run has ended");
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
    void this.turns.then(() => this.world.pull(this.grab ? this.view.pullOf(this.grab, most) : null));
    if (grab && !this.running) toast("press run: the spring pulls while time passes");
  }

  // ---- what is said ----

  private showTexts(now: boolean): void {
    if (!this.frame || !this.status.show(this.frame, this.steps, this.tolerance, this.running, now)) return;
    if (!by("page-certificate").hidden) void this.showCertificate();
  }

  private async showCertificate(): Promise<void> {
    const verdict = await this.turns.then(() => this.world.verdict());
    by("certificate").replaceChildren(...certificateRows(this.frame.info, this.steps, verdict, this.about, this.tolerance));
  }

  // ---- sliders and lessons ----

  private showSliders(refused: boolean): void {
    if (this.about) this.sliders.show(this.text, slidersOf(this.text, this.about, this.values), refused);
  }

  /** What a slider says. Moves that come while a world is made are taken together. */
  async set(key: string, value: number): Promise<void> {
    if (key === "pull") this.pullMost = value;
    else if (key.startsWith("input:")) {
      this.values = { ...this.values, [key]: value };
      await this.turns.then(() => this.world.setInput(key.slice(6), value));
    } else if (this.moved) this.moved[key] = value;
    else {
      this.moved = { [key]: value };
      await this.reload(() => {
        const moved = this.moved!;
        this.moved = null;
        return { text: this.text, values: { ...this.values, ...moved }, keep: !setsBeginning(this.lesson, moved) && this.frame.info.step > 0 };
      });
    }
  }

  private async analyze(): Promise<void> {
    const { lesson } = this;
    if (!lesson?.levels || this.frame.info.step > 0) return;
    drawLesson(lesson, this.values, this.about);
    const found = [];
    for (const level of lesson.levels) found.push(await this.turns.then(() => this.world.analyze(level)));
    showSolutions(found, this.about.dimension);
  }

  // ---- the page ----

  private toggleTheme(): void {
    this.theme = this.theme === "light" ? "dark" : "light";
    document.documentElement.dataset.theme = this.theme;
    this.view.setTheme(this.theme);
    this.plots.draw(true);
  }

  openTab(id: string): void {
    if (!selectTab(id)) return;
    if (id === "plots") this.plots.draw(true);
    if (id === "certificate" && this.frame) void this.showCertificate();
  }

  link = (): Promise<string> => linkTo({ scene: this.editor.text, settings: this.values, course: this.lesson?.id });
}
