// Questions to the worker, one after the other: it answers in order, and what follows needs the answer.
export class Turns {
  private waiting = 0; // questions without an answer
  private queue: Promise<unknown> = Promise.resolve();

  then<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++;
    const next = this.queue.then(work, work).finally(() => this.waiting--);
    this.queue = next.catch(() => {});
    return next;
  }

  get done(): boolean {
    return this.waiting === 0;
  }
}
