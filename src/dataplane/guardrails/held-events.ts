import { NAME, withText } from '../../guardrails/segments/index.ts';
import { type EventText, Lane } from '../../guardrails/stream/index.ts';
import type { ServerSentEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { type EventData, jsonIn, textsIn, withoutTokens } from './event-data.ts';
import type { SentEvents } from './stream-denial.ts';

/** A text of an event that waits: a stretch of a lane, or what was said under a key before. */
type HeldText = { path: EventText['path']; lane: Lane; start: number; end: number; again: string | null };

type HeldEvent = { event: ServerSentEvent; payload: EventData; texts: HeldText[] };

/** Data that say that a stream is over. */
const endings = new Set<unknown>([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The events of a stream in their order; each goes on once all texts in it may be sent, with what took their place. */
export class HeldEvents implements SentEvents {
  readonly lanes = new Map<number, Lane>();
  first: JsonObject | null = null;
  readonly choices = new Set<number>([0]);
  openBlock: number | null = null;
  lastSequence = -1;
  /** Everything was said. */
  isEnded = false;
  /** Characters of the data of all events that wait. */
  heldData = 0;
  /** Nothing that is checked before it is sent can be told by tokens. */
  keepsTokens = false;
  readonly #queue: HeldEvent[] = [];
  #isDone = false;

  /** What comes behind the end is not sent. `payload`: the JSON of its data; null for none. */
  add(event: ServerSentEvent, payload: EventData = jsonIn(event.data)): void {
    if (this.#isDone) return;
    this.#isDone = event.data === '[DONE]';
    const found = this.#isDone ? [] : textsIn(event.data, payload);
    const isEnding = this.#isDone || (isObject(payload) && endings.has(payload.type));
    this.isEnded = isEnding || (this.isEnded && found.length === 0);
    this.#queue.push({ event, payload, texts: found.map((text) => this.#held(text)) });
    this.heldData += event.data.length;
  }

  /** All events that may go on, as they may go on. */
  take(): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (let held = this.#queue[0]; held?.texts.every(mayBeSent); held = this.#queue[0]) {
      this.#queue.shift();
      this.heldData -= held.event.data.length;
      events.push(this.#sent(held));
    }
    return events;
  }

  get heldLength(): number {
    let length = 0;
    for (const lane of this.lanes.values()) length += lane.heldLength;
    return length;
  }

  get hasHeld(): boolean {
    return this.#queue.length > 0;
  }

  #held({ path, key, choice, kind, role, text, isPiece }: EventText): HeldText {
    const lane = this.#lane(choice);
    const again = isPiece ? null : lane.sentFor(text);
    if (again) return { path, lane, start: lane.end, end: lane.end, again: again.key };
    return { path, lane, ...lane.add({ key, kind, role, text }), again: null };
  }

  #lane(choice: number): Lane {
    let lane = this.lanes.get(choice);
    if (!lane) {
      lane = new Lane(choice);
      this.lanes.set(choice, lane);
      this.choices.add(choice);
    }
    return lane;
  }

  #sent({ event, payload, texts }: HeldEvent): ServerSentEvent {
    const before = payload ?? event.data;
    let changed: unknown = before;
    for (const { path, lane, start, end, again } of texts) {
      const said = valueAt(before, path);
      const text = again === null ? lane.textOf(start, end) : lane.sentUnder(again);
      if (text !== String(said)) changed = withText(changed, path, text);
      lane.forget(end);
    }
    if (isObject(payload)) this.#note(payload);
    if (changed === before && (this.keepsTokens || !hasOtherTokens(event.data, texts))) return event;
    return { ...event, data: payload === null ? String(changed) : JSON.stringify(withoutTokens(changed)) };
  }

  #note(payload: JsonObject): void {
    this.first ??= payload;
    if (payload.type === 'content_block_start') this.openBlock = Number(payload.index);
    if (payload.type === 'content_block_stop') this.openBlock = null;
    if (typeof payload.sequence_number === 'number') this.lastSequence = payload.sequence_number;
  }
}

/** Tokens without a text of their event may be those of another one, which waits or was changed. */
const hasOtherTokens = (data: string, texts: readonly HeldText[]): boolean =>
  /"(?:logprobs|logprobsResult|token_ids)":\s*[[{]/.test(data) &&
  texts.every(({ start, end }) => start === end);

const mayBeSent = ({ lane, end }: HeldText): boolean => end <= lane.approved;

type Path = readonly (string | number)[];
type Holder = Record<string | number, unknown>;

/** The text at a path, or the name of a member. */
const valueAt = (value: unknown, path: Path): unknown =>
  path.at(-2) === NAME
    ? path.at(-1)
    : path.reduce((holder, part) => (holder as Holder | undefined)?.[part], value);
