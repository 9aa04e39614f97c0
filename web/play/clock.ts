// The clock of a world under simulation: until when to step by now, how long steps may take before the worker answers, and when
// the next picture is due.
const BUDGET = [16, 200]; // ms of steps before the worker answers, at least and at most: as long as pictures take
const SLOW = 40; // ms of a picture, that of one drawn by the processor
const LEFT_TO_STEPS = 2; // times as long as such a picture the next one waits, where the steps cannot keep their pace
const BEHIND = 0.3; // s that the simulation may lag before it stops trying to catch up

export class Clock {
  speed = 1;
  private pace = { wall: 0, t: 0 }; // when the clock was set, and to what
  private late = false; // the run is behind
  private asked = 0; // for steps, ms
  private ticked = 0; // ms
  private drew = false; // at the last tick
  private pictureAt = 0; // ms: no picture before

  /** From here on `t` is now. */
  set(t: number): void {
    this.pace = { wall: performance.now(), t };
  }

  /** Pictures are timed from here on. */
  restart(): void {
    this.ticked = performance.now();
  }

  /** Until when a run at `t` is to step: real time times the speed; not after `t`: it is ahead. */
  wanted(t: number): number {
    const now = performance.now();
    const wanted = this.pace.t + ((now - this.pace.wall) / 1000) * this.speed;
    this.late = wanted > t;
    if (wanted - t > BEHIND * this.speed) this.pace = { wall: now, t };
    return wanted;
  }

  /** Lets the clock catch up with a run that is so many seconds ahead. */
  async wait(ahead: number): Promise<void> {
    await new Promise((wake) => setTimeout(wake, Math.min(50, (1000 * ahead) / this.speed + 1)));
  }

  /** ms of steps before the worker answers, of the question asked now. */
  budget(): number {
    const now = performance.now();
    const budget = Math.min(BUDGET[1], Math.max(BUDGET[0], now - this.asked));
    this.asked = now;
    return budget;
  }

  /** Whether a picture is to be drawn now; `took`: called with the seconds that the last one took. */
  pictureDue(now: number, running: boolean, took: (seconds: number) => void): boolean {
    const passed = Math.max(0, now - this.ticked);
    this.ticked = now;
    if (this.drew) {
      if (running) took(Math.min(1, passed / 1000));
      this.pictureAt = now + (running && this.late && passed > SLOW ? LEFT_TO_STEPS * passed : 0);
    }
    return (this.drew = now >= this.pictureAt || !running);
  }
}
