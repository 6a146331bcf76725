import { isObject, type JsonObject } from '../../../lib/json.ts';

/** Answers and items that are remembered as refused. */
const MAX_REFUSED = 2000;

/** What is left to be told of answers that are refused. */
export type RefusedAnswers = {
  /** Ids of those that the provider has not ended. */
  underWay: readonly string[];
  /** The ends of those that it has. */
  ended: readonly JsonObject[];
};

/** What of a session is under way: answers, and transcripts of what was said; and which answers are refused. */
export class OpenAnswers {
  /** By id; an answer that has come to its end with that. */
  readonly #answers = new Map<string, JsonObject | null>();
  readonly #items = new Set<string>();
  readonly #transcripts = new Set<string>();
  /** Ids of answers and of their items. */
  readonly #refused = new Set<string>();

  /** Whether more is to come of something. */
  get isOpen(): boolean {
    return this.#transcripts.size > 0 || [...this.#answers.values()].includes(null);
  }

  /** Takes note of an event; answers whether it belongs to something that is refused. */
  see(event: JsonObject): boolean {
    const answer = textOf(event.response_id) ?? idIn(event.response);
    const item = textOf(event.item_id) ?? idIn(event.item);
    const isRefused = [answer, item].some((id) => id !== null && this.#refused.has(id));
    if (isRefused) {
      if (item !== null) this.#refuse(item);
      return true;
    }
    if (answer !== null && event.type === 'response.done') this.#answers.set(answer, event);
    else if (answer !== null && !this.#answers.has(answer)) this.#answers.set(answer, null);
    if (answer !== null && item !== null) this.#items.add(item);
    if (answer === null) this.#followTranscript(event, item);
    return false;
  }

  /** All that came was sent. */
  settle(): void {
    this.#answers.clear();
    this.#items.clear();
    this.#transcripts.clear();
  }

  /** Refuses all that is under way. */
  refuse(): RefusedAnswers {
    const all = [...this.#answers];
    for (const [id] of all) this.#refuse(id);
    for (const id of this.#items) this.#refuse(id);
    this.settle();
    return {
      underWay: all.flatMap(([id, end]) => (end === null ? [id] : [])),
      ended: all.flatMap(([, end]) => (end === null ? [] : [end])),
    };
  }

  #refuse(id: string): void {
    this.#refused.add(id);
    const [oldest] = this.#refused;
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }

  /** Events outside answers: what comes in pieces is over with an event of another kind that is named like them. */
  #followTranscript({ type }: JsonObject, item: string | null): void {
    if (typeof type !== 'string') return;
    const at = type.lastIndexOf('.');
    const key = `${type.slice(0, at)} ${item}`;
    const last = type.slice(at + 1);
    if (last === 'delta') this.#transcripts.add(key);
    else if (last !== 'segment') this.#transcripts.delete(key);
  }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 256 ? value : null;

const idIn = (value: unknown): string | null => (isObject(value) ? textOf(value.id) : null);
