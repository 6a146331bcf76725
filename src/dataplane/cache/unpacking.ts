import type { Logger } from '../../lib/logger.ts';

/** Answers that are unpacked at the same time, of up to a megabyte each; more are not kept. */
const MAX_UNPACKING = 32;

/** Work on answers that are to be kept, which a request for the same answer waits for. */
export class Unpacking {
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  get isFull(): boolean {
    return this.#underWay.size >= MAX_UNPACKING;
  }

  add(id: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => this.#log.warn({ error }, 'An answer could not be unpacked for the cache.'))
      .finally(() => {
        if (this.#underWay.get(id) === done) this.#underWay.delete(id);
      });
    this.#underWay.set(id, done);
  }

  /** Undefined where there is nothing to wait for. */
  of(id: string): Promise<void> | undefined {
    return this.#underWay.get(id);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }
}
