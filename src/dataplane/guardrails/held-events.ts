import { type EventText, Lane, textsOf } from '../../guardrails/stream/index.ts';
import type { ServerSentEvent } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';
import type { SentEvents } from './stream-denial.ts';

/** A text of an event that waits: a stretch of a lane, or what was said under a key before. */
type HeldText = { path: EventText['path']; lane: Lane; start: number; end: number; again: string | null };

type HeldEvent = { event: ServerSentEvent; payload: JsonObject | null; texts: HeldText[] };

/** Data that say that a stream is over. */
const endings = new Set<unknown>([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The events of a stream in their order; each goes on once all texts in it are released, with what took their place. */
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
  readonly #queue: HeldEvent[] = [];

  /** `payload`: the JSON object of its data; null for none. */
  add(event: ServerSentEvent, payload = parsedObject(event.data)): void {
    if (event.data === '[DONE]' || endings.has(payload?.type)) this.isEnded = true;
    const isText = payload === null && event.data !== '[DONE]' && event.data !== '';
    const found = payload ? textsOf(payload) : isText ? [plainText(event.data)] : [];
    this.#queue.push({ event, payload, texts: found.map((text) => this.#held(text)) });
    this.heldData += event.data.length;
  }

  /** All events that may go on, as they may go on. */
  take(): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (let held = this.#queue[0]; held?.texts.every(isReleased); held = this.#queue[0]) {
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
    let changed: unknown = payload ?? event.data;
    for (const { path, lane, start, end, again } of texts) {
      const said = valueAt(payload ?? event.data, path);
      const text = again === null ? lane.textOf(start, end) : lane.sentUnder(again);
      if (text !== String(said)) changed = changedAt(changed, path, text);
      lane.forget(end);
    }
    if (payload) this.#note(payload);
    if (changed === (payload ?? event.data)) return event;
    const data = typeof changed === 'string' ? changed : JSON.stringify(withoutTokens(changed));
    return { ...event, data };
  }

  #note(payload: JsonObject): void {
    this.first ??= payload;
    if (payload.type === 'content_block_start') this.openBlock = Number(payload.index);
    if (payload.type === 'content_block_stop') this.openBlock = null;
    if (typeof payload.sequence_number === 'number') this.lastSequence = payload.sequence_number;
  }
}

const isReleased = ({ lane, end }: HeldText): boolean => end <= lane.released;

const plainText = (text: string): EventText => ({
  path: [],
  key: 'data',
  choice: 0,
  kind: 'text',
  role: null,
  text,
  isPiece: true,
});

type Path = readonly (string | number)[];
type Holder = Record<string | number, unknown>;

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((holder, part) => (holder as Holder | undefined)?.[part], value);

function changedAt(value: unknown, path: Path, text: string): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return text;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Holder = Array.isArray(value) ? ([...value] as unknown as Holder) : { ...(value as Holder) };
  copy[first] = changedAt((value as Holder)[first], rest, text);
  return copy;
}

/** The tokens of a text that was changed would tell what stood there. */
function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name === 'logprobs' ? [name, Array.isArray(member) ? [] : null] : [name, withoutTokens(member)],
    ),
  );
}
