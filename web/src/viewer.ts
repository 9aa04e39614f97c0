// The viewer of one run: what is shown at which time. Panels say what to do, parts of the scene do it.
import * as THREE from "three";
import { LOOKS, type Theme } from "./colours";
import { firstTime } from "./data/first_time";
import { newPose, type Run } from "./data/run";
import type { BodyList } from "./panels/body_list";
import { showLevel, showSwitches } from "./panels/display";
import { by } from "./panels/dom";
import { listenTo } from "./panels/input";
import { PAGES } from "./panels/keys";
import { showLegend } from "./panels/legend";
import { viewOf } from "./panels/link";
import { buildPanel } from "./panels/panel";
import { selectTab } from "./panels/tabs";
import { buildTitle } from "./panels/title";
import { buildTransport, naturalSpeed, showPlaying, showTime, SPEEDS, toast } from "./panels/transport";
import { Picture } from "./picture";
import { Tray } from "./plots/tray";
import { firstLevel, LEVELS, levelOf, Pace, type Quality } from "./quality";
import { firstSwitches, type Switch, type Switches } from "./switches";

const TEXT_PAUSE = 100; // ms between changes of the clock and the like while it plays: text costs more than the picture

export class Viewer {
  time = 0;
  frame = 0;
  playing = false;
  loop = true;
  speed = 1;
  picked = -1;
  theme: Theme;
  level: number; // of LEVELS
  readonly switches: Switches;
  readonly picture: Picture;
  readonly tray: Tray;
  /** Of a run that goes on: called when the user goes elsewhere than to its end. */
  left: () => void = () => {};
  readonly list: BodyList;
  private last = 0;
  private readonly pace = new Pace();
  private keepsPace: boolean; // false: the quality was chosen by the user
  private textsAt = 0; // when clock and the like were changed last, ms
  private built = false;
  private waits = false; // for frames that are not unpacked yet
  private readonly quiet = new AbortController();

  constructor(readonly run: Run, private readonly wish: URLSearchParams, other: Run | null = null) {
    const flag = (name: string, initial: boolean) => (wish.has(name) ? wish.get(name) !== "0" : initial);
    const theme = wish.get("theme") ?? (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.theme = theme in LOOKS ? (theme as Theme) : "light";
    document.documentElement.dataset.ui = flag("ui", true) ? "on" : "off";
    document.documentElement.dataset.title = flag("title", true) ? "on" : "off";
    this.level = firstLevel(wish.get("quality"), run.bodies);
    this.keepsPace = !wish.has("quality");
    this.tray = new Tray(run, (t) => this.seek(t), () => this.picture?.stage.resize());
    by("tray-place").replaceChildren(this.tray.root);
    this.picture = new Picture(by<HTMLCanvasElement>("canvas"), run, LEVELS[this.level], other);
    this.picture.changed = () => this.showLegend();
    this.picture.stage.refines = run.ready >= run.frames && flag("rest", true);
    this.switches = firstSwitches(run, wish, this.picture.way);
    buildTitle(run);
    this.list = buildPanel(this);
    buildTransport(run);
    showPlaying(false);
    listenTo(this, this.quiet.signal);
    this.tray.open = flag("plots", window.innerHeight >= 720 && window.innerWidth > 820);
    this.applySwitches();
    this.setTheme(this.theme);
    showLevel(this.level, this.keepsPace);
    this.picture.stage.resetCamera(...viewOf(wish));
    this.setSpeed(wish.has("speed") ? Number(wish.get("speed")) : naturalSpeed(run));
    this.openPage(wish.get("tab") ?? "certificate");
    this.pick(run.header.bodies.name.indexOf(wish.get("pick") ?? ""), false);
    this.built = true;
    this.seek(firstTime(run, wish));
    by("start").hidden = run.frames < 2 || wish.has("t");
    requestAnimationFrame((now) => this.tick(now));
  }

  // ---- what is shown ----

  seek(t: number): void {
    const { run } = this;
    this.time = Math.min(run.end, Math.max(run.time[0], Number.isFinite(t) ? t : 0));
    this.frame = run.frameAt(this.time);
    const next = Math.min(this.frame + 1, run.frames - 1);
    const span = run.time[next] - run.time[this.frame];
    this.waits = next >= run.ready;
    if (this.waits || !this.built) return;
    this.picture.draw(this.time, this.frame, span > 0 ? (this.time - run.time[this.frame]) / span : 0, this.switches, this.picked);
    if (!this.playing || performance.now() - this.textsAt > TEXT_PAUSE) this.showTexts();
  }

  /** More frames are unpacked, or all. */
  arrived(): void {
    if (this.waits) this.seek(this.time);
    if (this.run.ready < this.run.frames) return;
    this.picture.stage.refines = this.wish.get("rest") !== "0";
    this.tray.draw();
    if (this.switches.trails) this.applySwitches();
  }

  private showTexts(): void {
    this.textsAt = performance.now();
    showTime(this.run, this.time);
    this.tray.cursor(this.time);
    if (!by("page-bodies").hidden) this.list.showState(this.frame);
  }

  redraw(): void {
    this.seek(this.time);
  }

  step(frames: number): void {
    this.setPlaying(false);
    const from = frames < 0 && Math.abs(this.time - this.run.time[this.frame]) >= 1e-9 ? this.frame + 1 : this.frame;
    this.goTo(this.run.time[Math.min(this.run.frames - 1, Math.max(0, from + frames))]);
  }

  /** By the user's wish. */
  goTo(t: number): void {
    this.left();
    by("start").hidden = true;
    this.seek(t);
  }

  setPlaying(on: boolean): void {
    if (on && this.time >= this.run.end - 1e-12) this.seek(this.run.time[0]);
    if (this.playing && !on) this.showTexts();
    this.playing = on;
    this.pace.restart();
    this.picture.stage.setMoving(on);
    showPlaying(on);
  }

  setSpeed(speed: number): void {
    this.speed = SPEEDS.includes(speed) ? speed : 1;
    by<HTMLSelectElement>("speed").value = String(this.speed);
  }

  shiftSpeed(by: number): void {
    const at = SPEEDS.indexOf(this.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]);
    toast(`speed × ${this.speed}`);
  }

  setLoop(on: boolean): void {
    this.loop = on;
    by("loop").setAttribute("aria-pressed", String(on));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.picture.setTheme(theme);
    this.tray.stale();
    this.list?.draw();
  }

  set(name: Switch, on: boolean): void {
    this.switches[name] = on;
    this.applySwitches();
  }

  private applySwitches(): void {
    const said = this.picture.apply(this.switches, this.picked);
    if (said) toast(said);
    showSwitches(this.switches);
    this.redraw();
    this.showLegend();
  }

  showLegend(): void {
    showLegend(this.picture.contacts.root.visible && this.run.header.contacts.total > 0, this.picture.contacts.scaleArrow);
  }

  // ---- picking ----

  pick(body: number, says = true): void {
    this.picked = body;
    this.picture.bodies.picked = body;
    this.list.pick(body);
    this.list.showState(this.frame);
    if (this.switches.trails) this.picture.apply(this.switches, body);
    if (body >= 0) this.tray.show({ kind: "body", body });
    if (body >= 0 && says) by("said").textContent = `picked ${this.run.header.bodies.name[body]}`;
    this.redraw();
  }

  pickPair(a: number, b: number): void {
    toast(`contact of ${[a, b].map((body) => this.run.header.bodies.name[body]).join(" and ")}: see the plots`);
    this.tray.show({ kind: "pair", bodies: [a, b] });
  }

  pickAt(x: number, y: number): void {
    const ray = this.picture.stage.ray(x, y);
    const contact = this.picture.contacts.hit(ray);
    if (contact >= 0) {
      const bodies = this.run.section("contactBodies");
      this.pickPair(bodies[2 * contact], bodies[2 * contact + 1]);
      return;
    }
    const body = this.picture.bodies.hit(ray, this.picture.faded);
    this.pick(body);
    if (body >= 0) this.openPage("bodies");
  }

  /** The picked body in the middle of the picture; without one the default view. */
  focus(): void {
    if (this.picked < 0) this.picture.stage.resetCamera();
    else this.picture.focus(this.picked, this.frame);
    this.redraw();
  }

  // ---- panel ----

  /** A tab of the panel, or the tray of plots. */
  openPage(id: string): void {
    if (!PAGES.includes(id)) return;
    if (id === "plots") {
      this.tray.open = true;
      return;
    }
    selectTab(id);
    if (id !== "bodies") return;
    this.list.draw();
    this.list.showState(this.frame);
  }

  hidePicked(): void {
    if (this.picked < 0) return;
    const { visible } = this.picture.bodies;
    visible[this.picked] = visible[this.picked] ? 0 : 1;
    this.list.draw();
    this.redraw();
  }

  // ---- time ----

  private tick(now: number): void {
    if (this.quiet.signal.aborted) return;
    const passed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (this.playing && !this.waits) {
      const t = this.time + passed * this.speed;
      if (t < this.run.end) this.seek(t);
      else if (this.loop) this.seek(this.run.time[0]);
      else {
        this.seek(this.run.end);
        this.setPlaying(false);
      }
      if (this.keepsPace && this.level < LEVELS.length - 1 && this.pace.isTooSlow(passed)) {
        this.setLevel(this.level + 1);
        toast(`picture: ${LEVELS[this.level].says}, to keep pace`);
      }
    }
    this.picture.stage.render();
    requestAnimationFrame((next) => this.tick(next));
  }

  setLevel(level: number): void {
    this.picture.setLevel(LEVELS[level], LEVELS[level].quality !== LEVELS[this.level].quality);
    this.level = level;
    this.pace.restart();
    showLevel(level, this.keepsPace);
    this.redraw();
  }

  chooseQuality(wish: string): void {
    this.keepsPace = wish === "";
    this.setLevel(wish ? levelOf(wish as Quality) : firstLevel(null, this.run.bodies));
  }

  close(): void {
    this.quiet.abort();
    this.picture.dispose();
  }

  // ---- for tests and for pictures ----

  /** Where a body's centre is on the page, in pixels. */
  screen(body: number): [number, number] {
    const pose = newPose();
    this.run.pose(this.frame, 0, body, pose);
    this.picture.stage.camera.updateMatrixWorld();
    return this.picture.stage.view.screen(new THREE.Vector3(pose.x, pose.y, pose.z));
  }

  /** The plain picture, now. */
  render(): void {
    this.picture.stage.touch();
    this.picture.stage.render();
  }

  /** The fine picture, now. */
  finish(): void {
    this.picture.stage.finish();
  }
}
