import type { JsonObject } from '../../../../lib/json.ts';

/** Milliseconds that one second has for what was made within it. */
const LAST = 999;

/**
 * Tells the milliseconds of lines that say seconds alone: what one thread has within a second stays in the order of its lines.
 */
export class LineClock {
  readonly #times = new WeakMap<JsonObject, Date>();
  #last = { place: '', second: -1, millisecond: 0 };

  /** Gives a line its time; to be called in the order of the lines. */
  place(value: JsonObject): void {
    const { created_at: second, created_at_ms: exact } = value;
    if (typeof second !== 'number' || !Number.isFinite(second)) return;
    if (typeof exact === 'number' && Math.floor(exact / 1000) === second) {
      this.#times.set(value, new Date(exact));
      return;
    }
    const place = `${value.object} ${value.thread_id}`;
    const isSame = this.#last.place === place && this.#last.second === second;
    const millisecond = isSame ? Math.min(this.#last.millisecond + 1, LAST) : 0;
    this.#last = { place, second, millisecond };
    this.#times.set(value, new Date(second * 1000 + millisecond));
  }

  /** The time of a line, which its `created_at` was checked for. */
  timeOf(value: JsonObject): Date {
    const time = this.#times.get(value);
    if (!time) throw new Error('A line without a time was not refused.');
    return time;
  }
}
