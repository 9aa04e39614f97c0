// The page: replay, plots and certificate of one run. Data are in the page (a report) or come from `asperity view`.
//
// After the # of the address: t (s), theme=light|dark, contacts, cones, trails, joints, ghost, shapes = 1|0, az, el (degrees),
// zoom, ui=0 (the picture alone), title=0, tab (certificate, plots, bodies, display), pick (name of a body),
// quality=fine|plain|fast (default: what keeps pace). window.asperity is what tests and picture tools use.
import "./style.css";
import * as THREE from "three";
import { Beams } from "./beams";
import { Belts } from "./belts";
import { Bodies } from "./bodies";
import { LOOKS, MODE_COLOURS, type Theme } from "./colours";
import { Contacts, Joints, Trails } from "./contacts";
import { BODY_FIXED, decode, embedded, MODE_NAMES, type Run } from "./data";
import { BodyList, certificatePage, element, format, warningTime } from "./panel";
import { contactCounts, coordinate, drift, energies, pairForces, Plot, probes, residuals } from "./plots";
import { firstLevel, LEVELS, levelOf, Pace, type Quality } from "./quality";
import { Stage } from "./stage";

const ICONS = {
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  back: "M18 4v16l-9-8zM5 4h3v16H5z",
  forward: "M6 4v16l9-8zM16 4h3v16h-3z",
  loop: "M17 3l5 4-5 4V8H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 21l-5-4 5-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
};
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const TABS = ["certificate", "plots", "bodies", "display"];
const TRAILS_MAX = 200;
const TEXT_PAUSE = 100; // ms between changes of the clock and the like while it plays: text costs more than the picture

const by = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const icon = (button: HTMLElement, path: string) => (button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`);

interface Switches {
  contacts: boolean;
  cones: boolean;
  trails: boolean;
  joints: boolean;
  ghost: boolean;
  shapes: boolean; // contact shapes in place of drawings
}

class Viewer {
  time = 0;
  frame = 0;
  playing = false;
  loop = true;
  speed = 1;
  picked = -1;
  pair: [number, number] | null = null;
  theme: Theme;
  level: number; // of LEVELS
  readonly switches: Switches;
  readonly stage: Stage;
  readonly bodies: Bodies;
  readonly beams: Beams;
  readonly belts: Belts;
  readonly contacts: Contacts;
  readonly trails: Trails;
  readonly joints: Joints;
  private list!: BodyList;
  private plots: Plot[] = [];
  private probePlots: Plot[] = [];
  private plotIsStale = true;
  private last = 0;
  private readonly pace = new Pace();
  private keepsPace: boolean; // false: the quality was chosen by the user
  private textsAt = 0; // when clock and the like were changed last, ms
  private stopped = false;
  private readonly quiet = new AbortController();

  constructor(readonly run: Run, wish: URLSearchParams) {
    const flag = (name: string, initial: boolean) => (wish.has(name) ? wish.get(name) !== "0" : initial);
    this.switches = {
      contacts: flag("contacts", run.bodies <= 60),
      cones: flag("cones", false),
      trails: flag("trails", false),
      joints: flag("joints", true),
      ghost: flag("ghost", false),
      shapes: flag("shapes", false),
    };
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    this.theme = (wish.get("theme") as Theme | null) ?? (dark ? "dark" : "light");
    if (!(this.theme in LOOKS)) this.theme = "light";
    document.documentElement.dataset.ui = flag("ui", true) ? "on" : "off";
    document.documentElement.dataset.title = flag("title", true) ? "on" : "off";
    this.level = firstLevel(wish.get("quality"), run.bodies);
    this.keepsPace = !wish.has("quality");
    this.stage = new Stage(by<HTMLCanvasElement>("canvas"), run, LEVELS[this.level]);
    this.bodies = new Bodies(run, this.stage.lights);
    this.beams = new Beams(run, this.stage.lights, this.stage.extent.radius);
    for (const part of [this.bodies, this.beams]) part.build(LEVELS[this.level].quality);
    this.stage.beforePicture = (camera, height) => {
      this.bodies.beforePicture(camera, height);
      this.contacts.fit(this.stage.pixel, this.frame, this.bodies.visible);
    };
    this.belts = new Belts(run, this.stage.extent);
    this.contacts = new Contacts(run, this.stage.extent.radius, this.stage.up);
    this.trails = new Trails(run);
    this.joints = new Joints(run, this.stage.extent.radius);
    this.stage.scene.add(this.bodies.root, this.beams.root, this.belts.root, this.contacts.root, this.trails.root, this.joints.root);
    this.buildTitle();
    this.buildPanel();
    this.buildTransport();
    this.listen();
    this.applySwitches();
    this.setTheme(this.theme);
    this.showLevel();
    const number = (name: string) => (wish.has(name) ? Number(wish.get(name)) : undefined);
    this.stage.resetCamera(number("az"), number("el"), 1 / (number("zoom") ?? 1));
    this.setSpeed(this.naturalSpeed());
    const tab = wish.get("tab");
    if (tab && TABS.includes(tab)) this.openTab(tab);
    const name = wish.get("pick");
    if (name) this.pick(run.header.bodies.name.indexOf(name));
    this.seek(number("t") ?? 0);
    requestAnimationFrame((now) => this.tick(now));
  }

  // real time, unless the whole would be over in less than 2 s or last longer than 30 s
  private naturalSpeed(): number {
    const length = this.run.end - this.run.time[0];
    if (length > 30) return SPEEDS.findLast((speed) => length / speed >= 15) ?? 1;
    return length < 2 ? (SPEEDS.findLast((speed) => length / speed >= 3) ?? 0.01) : 1;
  }

  // ---- what is shown ----

  seek(t: number): void {
    const { run } = this;
    this.time = Math.min(run.end, Math.max(run.time[0], Number.isFinite(t) ? t : 0));
    this.frame = run.frameAt(this.time);
    const next = Math.min(this.frame + 1, run.frames - 1);
    const span = run.time[next] - run.time[this.frame];
    this.draw(span > 0 ? (this.time - run.time[this.frame]) / span : 0);
  }

  private draw(part = 0): void {
    const { frame } = this;
    this.bodies.update(frame, part);
    this.beams.update(frame, part);
    this.belts.update(frame, part, this.bodies.visible);
    this.stage.placeGrounds(frame, part, this.bodies.visible);
    if (this.switches.contacts || this.switches.cones) this.contacts.update(frame, this.bodies.visible);
    this.trails.update(frame);
    this.joints.update(frame, part);
    if (!this.playing || performance.now() - this.textsAt > TEXT_PAUSE) this.showTexts();
    this.stage.touch();
  }

  private showTexts(): void {
    this.textsAt = performance.now();
    by<HTMLInputElement>("scrub").value = String(this.time);
    by("clock").textContent = `${this.time.toFixed(3)} / ${format(this.run.end, 4)} s`;
    for (const plot of this.plots) plot.cursor(this.time);
    if (!by("page-bodies").hidden) this.list.showState(this.frame);
  }

  private redraw(): void {
    this.seek(this.time);
  }

  step(frames: number): void {
    this.setPlaying(false);
    const exact = Math.abs(this.time - this.run.time[this.frame]) < 1e-9;
    const from = frames < 0 && !exact ? this.frame + 1 : this.frame;
    this.seek(this.run.time[Math.min(this.run.frames - 1, Math.max(0, from + frames))]);
  }

  setPlaying(on: boolean): void {
    if (on && this.time >= this.run.end - 1e-12) this.seek(this.run.time[0]);
    if (this.playing && !on) this.showTexts();
    this.playing = on;
    this.pace.restart();
    this.stage.setMoving(on);
    const button = by("play");
    icon(button, on ? ICONS.pause : ICONS.play);
    button.setAttribute("aria-label", on ? "pause" : "play");
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    by<HTMLSelectElement>("speed").value = String(speed);
  }

  private shiftSpeed(by: number): void {
    const at = SPEEDS.indexOf(this.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]);
    this.toast(`speed × ${this.speed}`);
  }

  setLoop(on: boolean): void {
    this.loop = on;
    by("loop").setAttribute("aria-pressed", String(on));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.setTheme(theme);
    this.bodies.setTheme(theme);
    this.belts.setTheme(theme);
    this.plotIsStale = true;
    this.refreshPlots();
    this.list?.draw();
  }

  applySwitches(): void {
    const { switches } = this;
    this.contacts.root.visible = switches.contacts || switches.cones;
    this.contacts.showsCones = switches.cones;
    this.joints.root.visible = switches.joints;
    this.bodies.setContactShapes(switches.shapes);
    for (const part of [this.bodies, this.beams]) part.setGhost(switches.ghost);
    this.showTrails();
    this.showLegend();
    for (const name of Object.keys(switches) as (keyof Switches)[]) {
      const box = document.getElementById(`switch-${name}`) as HTMLInputElement | null;
      if (box) box.checked = switches[name];
    }
    this.redraw();
  }

  private showTrails(): void {
    const moving: number[] = [];
    for (let b = 0; b < this.run.bodies; b++) if (this.run.bodyKind(b) !== BODY_FIXED) moving.push(b);
    const wanted = !this.switches.trails ? [] : this.picked >= 0 ? [this.picked] : moving.length <= TRAILS_MAX ? moving : [];
    this.trails.show(wanted, this.bodies.colours);
    if (this.switches.trails && !wanted.length && moving.length > TRAILS_MAX) this.toast("pick a body to see its trail");
  }

  private showLegend(): void {
    const legend = by("legend");
    legend.hidden = !this.contacts.root.visible || this.run.header.contacts.total === 0;
    legend.replaceChildren(
      ...MODE_NAMES.map((name, mode) => {
        const dot = element("i");
        dot.style.background = MODE_COLOURS[mode];
        return element("span", {}, dot, name);
      }),
      element(
        "span",
        { title: "force of a long arrow: 95 % of the contact forces are smaller" },
        `→ ${format(this.contacts.reference / this.contacts.scale, 2)} N`,
      ),
    );
  }

  toast(text: string): void {
    const toast = by("toast");
    toast.textContent = text;
    toast.hidden = false;
    window.setTimeout(() => toast.textContent === text && (toast.hidden = true), 2500);
  }

  // ---- picking ----

  pick(body: number): void {
    this.picked = body;
    this.bodies.picked = body;
    this.bodies.paint();
    this.list.pick(body);
    this.list.showState(this.frame);
    if (this.switches.trails) this.showTrails();
    this.plotIsStale = true;
    this.refreshPlots();
    this.redraw();
  }

  pickPair(a: number, b: number): void {
    this.pair = [a, b];
    const names = this.run.header.bodies.name;
    this.toast(`contact of ${names[a]} and ${names[b]}: see the plots`);
    this.plotIsStale = true;
    this.refreshPlots();
  }

  private pickAt(x: number, y: number): void {
    const ray = this.stage.ray(x, y);
    const contact = this.contacts.hit(this.frame, ray);
    if (contact >= 0) {
      const bodies = this.run.section("contactBodies");
      this.pickPair(bodies[2 * contact], bodies[2 * contact + 1]);
      return;
    }
    const body = this.bodies.hit(ray);
    this.pick(body);
    if (body >= 0) this.openTab("bodies");
  }

  // ---- panel ----

  private buildTitle(): void {
    const { header } = this.run;
    document.title = `${header.name || "run"} · Asperity`;
    by("title").querySelector("h1")!.textContent = header.name || "run";
    const { steps, uncertified, residual } = header.certificate;
    const good = uncertified === 0;
    const text = good ? `${steps} steps certified, residual ≤ ${format(residual.value, 2)}` : `${uncertified} of ${steps} steps missed the tolerance`;
    const { resolution } = header;
    const resolved = resolution?.unresolved === 0;
    const said = !resolution ? "resolution not judged" : resolved ? "resolved" : `${resolution.unresolved} steps not resolved`;
    const badges = [element("span", { class: good ? "badge" : "badge bad" }, text)];
    if (steps > 0) badges.push(element("span", { class: resolved ? "badge" : resolution ? "badge bad" : "badge open", id: "resolution" }, said));
    by("subtitle").replaceChildren(...badges);
  }

  private buildPanel(): void {
    this.list = new BodyList(
      this.run,
      this.bodies.visible,
      (body) => (this.bodies.isFixed(body) ? LOOKS[this.theme].fixed : `#${this.bodies.colours[body].getHexString()}`),
      { pick: (body) => this.pick(body), changed: () => this.redraw() },
    );
    const pages: [string, string, HTMLElement][] = [
      ["certificate", "Certificate", certificatePage(this.run, (t) => this.seek(t))],
      ["plots", "Plots", this.plotPage()],
      ["bodies", "Bodies", this.list.root],
      ["display", "Display", this.displayPage()],
    ];
    by("tabs").replaceChildren();
    by("pages").replaceChildren();
    for (const [id, label, content] of pages) {
      const tab = element("button", { role: "tab", id: `tab-${id}`, "aria-controls": `page-${id}` }, label);
      tab.addEventListener("click", () => this.openTab(id));
      by("tabs").append(tab);
      by("pages").append(element("div", { class: "page", role: "tabpanel", id: `page-${id}`, hidden: "" }, content));
    }
    this.openTab("certificate");
  }

  openTab(id: string): void {
    for (const page of by("pages").children as HTMLCollectionOf<HTMLElement>) page.hidden = page.id !== `page-${id}`;
    for (const tab of by("tabs").children) tab.setAttribute("aria-selected", String(tab.id === `tab-${id}`));
    if (id === "bodies") this.list.draw();
    if (id === "bodies") this.list.showState(this.frame);
    this.refreshPlots();
  }

  private plotPage(): HTMLElement {
    const seek = (t: number) => this.seek(t);
    const make = (id: string, title: string) => new Plot(id, title, seek);
    this.plots = [
      make("energy", "Energy"),
      make("residual", "Residual of every step"),
      make("contacts", "Contacts by mode"),
      make("coordinate", "Coordinate of the picked body"),
      make("pair", "Contact force of the picked pair"),
    ];
    if (this.run.header.joints.length) this.plots.push(make("drift", "Joint drift"));
    this.probePlots = this.probeUnits().map((unit, i) => make(`probes${i}`, unit ? `Probes, ${unit}` : "Probes"));
    this.plots.push(...this.probePlots);
    const choice = element("select", { id: "coordinate", "aria-label": "coordinate" });
    this.run.coordinates().forEach(({ name }, i) => choice.append(element("option", { value: String(i) }, name)));
    choice.value = this.run.plane ? "1" : "2";
    choice.addEventListener("change", () => {
      this.plotIsStale = true;
      this.refreshPlots();
    });
    this.plots[3].extra.append(choice);
    return element("div", {}, ...this.plots.map((plot) => plot.root));
  }

  private probeUnits(): string[] {
    return [...new Set((this.run.header.probes ?? []).map(({ unit }) => unit))];
  }

  private refreshPlots(): void {
    const page = document.getElementById("page-plots");
    if (!page || page.hidden || !this.plots.length) return;
    if (!this.plotIsStale) return;
    this.plotIsStale = false;
    const { run } = this;
    const names = run.header.bodies.name;
    const choice = Number(by<HTMLSelectElement>("coordinate").value);
    this.plots[0].show(energies(run));
    this.plots[1].show(residuals(run));
    this.plots[2].show(contactCounts(run));
    this.plots[3].show(this.picked >= 0 ? coordinate(run, this.picked, choice) : null, "Click a body in the picture or in the list.");
    this.plots[4].show(this.pair ? pairForces(run, ...this.pair) : null, "Click a contact point in the picture.");
    if (this.pair) this.plots[4].extra.textContent = `${names[this.pair[0]]} and ${names[this.pair[1]]}`;
    if (run.header.joints.length) this.plots[5].show(drift(run));
    this.probeUnits().forEach((unit, i) => this.probePlots[i].show(probes(run, unit)));
    for (const plot of this.plots) plot.cursor(this.time);
  }

  private displayPage(): HTMLElement {
    const page = element("div");
    const entries: [keyof Switches, string, string][] = [
      ["contacts", "contacts and forces", "C"],
      ["cones", "friction cones", "F"],
      ["trails", "trails", "T"],
      ["joints", "joints", "J"],
      ["ghost", "see through bodies", "G"],
    ];
    if (this.bodies.hasDrawings) entries.push(["shapes", "contact shapes", "S"]);
    for (const [name, text, key] of entries) {
      const box = element("input", { type: "checkbox", id: `switch-${name}` });
      box.addEventListener("change", () => {
        this.switches[name] = box.checked;
        this.applySwitches();
      });
      page.append(element("label", { class: "line" }, box, text, element("kbd", {}, key)));
    }
    const length = element("input", { type: "range", class: "wide", min: "-1.5", max: "1.5", step: "0.05", value: "0", "aria-label": "length of arrows" });
    length.addEventListener("input", () => {
      this.contacts.scale = 10 ** Number(length.value);
      this.showLegend();
      this.redraw();
    });
    const view = element("p");
    for (const [label, az, el] of [["default view", undefined, undefined], ["front", -90, 0], ["side", 0, 0], ["top", -90, 89.9]] as const) {
      const button = element("button", { class: "jump" }, label);
      button.addEventListener("click", () => this.stage.resetCamera(az, el));
      view.append(button, " ");
    }
    const quality = element("select", { id: "quality", "aria-label": "quality of the picture" });
    for (const [value, label] of [["", "automatic: keeps pace"], ["fine", "fine"], ["plain", "plain"], ["fast", "fast"]])
      quality.append(element("option", { value }, label));
    quality.addEventListener("change", () => this.chooseQuality(quality.value));
    const level = element("p", { class: "muted", id: "level" });
    page.append(element("h2", {}, "Length of arrows"), length, element("h2", {}, "View"), view);
    page.append(element("h2", {}, "Picture"), quality, level);
    page.append(element("p", { class: "muted" }, "Drag to turn, right drag or two fingers to move, wheel or pinch to zoom. Keys: ?"));
    return page;
  }

  // ---- transport and keys ----

  private buildTransport(): void {
    icon(by("back"), ICONS.back);
    icon(by("forward"), ICONS.forward);
    icon(by("loop"), ICONS.loop);
    icon(by("theme"), ICONS.theme);
    const { run } = this;
    const scrub = by<HTMLInputElement>("scrub");
    scrub.min = String(run.time[0]);
    scrub.max = String(run.end);
    by("speed").replaceChildren(...SPEEDS.map((speed) => element("option", { value: String(speed) }, `× ${speed}`)));
    const span = run.end - run.time[0] || 1;
    const mark = (t: number, kind: string) => {
      const made = element("i", { class: kind, title: `t = ${t}` });
      made.style.left = `${(100 * (t - run.time[0])) / span}%`;
      return made;
    };
    const found = Object.values(run.header.findings ?? {}).flatMap(({ times }) => times);
    const warned = [...run.header.warnings.map(warningTime).filter((t) => t !== null), ...found];
    by("marks").replaceChildren(...run.header.certificate.uncertifiedTimes.map((t) => mark(t, "missed")), ...(run.header.resolution?.unresolvedTimes ?? []).map((t) => mark(t, "unresolved")), ...warned.map((t) => mark(t, "warned")));
    this.setPlaying(false);
    this.setLoop(true);
  }

  private listen(): void {
    const on = (target: EventTarget, type: string, handler: (event: Event) => void) =>
      target.addEventListener(type, handler, { signal: this.quiet.signal });
    on(by("play"), "click", () => this.setPlaying(!this.playing));
    on(by("back"), "click", () => this.step(-1));
    on(by("forward"), "click", () => this.step(1));
    on(by("loop"), "click", () => this.setLoop(!this.loop));
    on(by("theme"), "click", () => this.setTheme(this.theme === "light" ? "dark" : "light"));
    on(by("help"), "click", () => showKeys());
    on(by("speed"), "change", () => this.setSpeed(Number(by<HTMLSelectElement>("speed").value)));
    on(by("scrub"), "input", () => {
      this.setPlaying(false);
      this.seek(Number(by<HTMLInputElement>("scrub").value));
    });
    const canvas = by("canvas");
    let down: [number, number] = [0, 0];
    on(canvas, "pointerdown", (event) => (down = [(event as PointerEvent).clientX, (event as PointerEvent).clientY]));
    on(canvas, "pointerup", (event) => {
      const { clientX, clientY, button } = event as PointerEvent;
      if (button === 0 && Math.hypot(clientX - down[0], clientY - down[1]) < 4) this.pickAt(clientX, clientY);
    });
    on(window, "keydown", (event) => this.key(event as KeyboardEvent));
    const observer = new ResizeObserver(() => {
      this.stage.resize();
      for (const plot of this.plots) plot.resize();
    });
    observer.observe(by("stage"));
    observer.observe(by("panel"));
    this.quiet.signal.addEventListener("abort", () => observer.disconnect());
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, input[type=search]")) return;
    const toggle = (name: keyof Switches) => () => {
      this.switches[name] = !this.switches[name];
      this.applySwitches();
    };
    const actions: Record<string, () => void> = {
      " ": () => this.setPlaying(!this.playing),
      arrowleft: () => this.step(event.shiftKey ? -10 : -1),
      arrowright: () => this.step(event.shiftKey ? 10 : 1),
      home: () => this.seek(this.run.time[0]),
      end: () => this.seek(this.run.end),
      "+": () => this.shiftSpeed(1),
      "=": () => this.shiftSpeed(1),
      "-": () => this.shiftSpeed(-1),
      l: () => this.setLoop(!this.loop),
      c: toggle("contacts"),
      f: toggle("cones"),
      t: toggle("trails"),
      j: toggle("joints"),
      g: toggle("ghost"),
      s: toggle("shapes"),
      d: () => this.setTheme(this.theme === "light" ? "dark" : "light"),
      r: () => this.stage.resetCamera(),
      h: () => this.hidePicked(),
      escape: () => this.pick(-1),
      "?": () => showKeys(),
    };
    TABS.forEach((tab, i) => (actions[String(i + 1)] = () => this.openTab(tab)));
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private hidePicked(): void {
    if (this.picked < 0) return;
    this.bodies.visible[this.picked] = this.bodies.visible[this.picked] ? 0 : 1;
    this.list.draw();
    this.redraw();
  }

  // ---- time ----

  private tick(now: number): void {
    if (this.stopped) return;
    const passed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) {
      const t = this.time + passed * this.speed;
      if (t < this.run.end) this.seek(t);
      else if (this.loop) this.seek(this.run.time[0]);
      else {
        this.seek(this.run.end);
        this.setPlaying(false);
      }
      this.keepPace(passed);
    }
    this.stage.render();
    requestAnimationFrame((next) => this.tick(next));
  }

  private keepPace(passed: number): void {
    if (!this.keepsPace || this.level === LEVELS.length - 1 || !this.pace.isTooSlow(passed)) return;
    this.setLevel(this.level + 1);
    this.toast(`picture: ${LEVELS[this.level].says}, to keep pace`);
  }

  setLevel(level: number): void {
    const rebuilt = LEVELS[level].quality !== LEVELS[this.level].quality;
    this.level = level;
    this.stage.setLevel(LEVELS[level]);
    if (rebuilt) for (const part of [this.bodies, this.beams]) part.build(LEVELS[level].quality);
    this.pace.restart();
    this.showLevel();
    this.redraw();
  }

  private showLevel(): void {
    by<HTMLSelectElement>("quality").value = this.keepsPace ? "" : LEVELS[this.level].quality;
    by("level").textContent = `Now: ${LEVELS[this.level].says}.`;
  }

  private chooseQuality(wish: string): void {
    this.keepsPace = wish === "";
    this.setLevel(wish ? levelOf(wish as Quality) : firstLevel(null, this.run.bodies));
  }

  close(): void {
    this.stopped = true;
    this.quiet.abort();
    this.bodies.dispose();
    this.beams.dispose();
    this.contacts.dispose();
    this.stage.dispose();
  }

  // ---- for tests and for pictures ----

  /** Where a body's centre is on the page, in pixels. */
  screen(body: number): [number, number] {
    const pose = { x: 0, y: 0, z: 0, qx: 0, qy: 0, qz: 0, qw: 1 };
    this.run.pose(this.frame, 0, body, pose);
    const at = new THREE.Vector3(pose.x, pose.y, pose.z).project(this.stage.camera);
    const box = by("canvas").getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  render(): void {
    this.stage.touch();
    this.stage.render();
  }
}

function showKeys(): void {
  const keys: [string, string][] = [
    ["space", "play or pause"],
    ["← →", "a frame back or forward (with shift: ten)"],
    ["Home End", "first or last frame"],
    ["+ −", "faster, slower"],
    ["L", "loop"],
    ["C", "contacts and forces"],
    ["F", "friction cones"],
    ["T", "trails"],
    ["J", "joints"],
    ["G", "see through bodies"],
    ["S", "contact shapes in place of what is drawn for them"],
    ["H", "hide or show the picked body"],
    ["Esc", "pick nothing"],
    ["R", "default view"],
    ["D", "light or dark"],
    ["1 … 4", "certificate, plots, bodies, display"],
  ];
  const dialog = by<HTMLDialogElement>("keys");
  const list = element("div", { class: "keys" });
  for (const [key, text] of keys) list.append(element("kbd", {}, key), element("span", {}, text));
  const close = element("button", { autofocus: "" }, "close");
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(list, close);
  dialog.showModal();
}

declare global {
  interface Window {
    asperity?: Viewer;
  }
}

function fail(reason: unknown): void {
  const text = reason instanceof Error ? reason.message : String(reason);
  by("app").replaceChildren(element("div", { id: "fault" }, element("h1", {}, "This run cannot be shown"), element("p", {}, text)));
}

/** 503 means that the result is being written this very moment: asked again. */
async function get(route: string): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(route, { cache: "no-store" });
    if (answer.ok) return answer;
    if (answer.status !== 503 || attempt === 20) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
    await new Promise((wake) => setTimeout(wake, 300));
  }
}

/** Served by `asperity view`: the run may still be going on; when it has grown, it is loaded again. */
async function follow(viewer: Viewer, frames: number): Promise<void> {
  let shown = viewer;
  let known = frames;
  while (!shown.run.header.complete) {
    await new Promise((wake) => setTimeout(wake, 1500));
    const status = (await (await get("status")).json()) as { frames: number; complete: boolean };
    if (status.frames === known && !status.complete) continue;
    const run = await decode(new Uint8Array(await (await get("data")).arrayBuffer()));
    known = status.frames;
    const { time, playing, picked, theme, speed } = shown;
    const atEnd = time >= shown.run.end - 1e-9 && time > 0;
    shown.close();
    const wish = new URLSearchParams(location.hash.slice(1));
    wish.set("theme", theme);
    shown = window.asperity = new Viewer(run, wish);
    shown.setSpeed(speed);
    if (picked >= 0) shown.pick(picked);
    shown.seek(atEnd ? run.end : time);
    shown.setPlaying(playing);
  }
}

async function start(): Promise<void> {
  const bytes = embedded();
  const run = await decode(bytes ?? new Uint8Array(await (await get("data")).arrayBuffer()));
  const viewer = new Viewer(run, new URLSearchParams(location.hash.slice(1)));
  window.asperity = viewer;
  if (!bytes) await follow(viewer, run.header.framesStored);
}

start().catch(fail);
