import { performance } from 'node:perf_hooks';
import type { RawData } from 'ws';
import { isObject } from '../../lib/json.ts';

/** Bytes of a message that is read; what is looked for is far smaller. */
const MAX_EVENT = 1024 * 1024;
const MAX_ERRORS = 10;
/** Members of a report of token counts, and how deep they may lie. */
const MAX_COUNTS = 50;
const MAX_DEPTH = 3;

const watched = [
  'session.created',
  'session.updated',
  'conversation.item.',
  'response.created',
  'response.done',
  'error',
];
const marks = watched.map((type) => Buffer.from(`"${type}`));

type Counts = { [name: string]: number | Counts };
type Json = Record<string, unknown>;

/** What a session came to, in the shape of an answer, so that the log reads it like any other. */
export type SessionReport = {
  object: 'realtime.session';
  id: string | null;
  model: string | null;
  items_created: number;
  items_deleted: number;
  responses: number;
  errors: unknown[];
  /** Of all responses together; absent while no provider counted any. */
  usage?: Counts;
};

export type Observer = {
  see(data: RawData): void;
  report(): SessionReport;
  /** When the answer began that the provider is at, on the clock of `performance.now()`; null between answers. */
  answeringSince(): number | null;
};

/** Reads the provider's messages that tell of the session, its items, errors and token counts. */
export function createObserver(): Observer {
  const report: SessionReport = {
    object: 'realtime.session',
    id: null,
    model: null,
    items_created: 0,
    items_deleted: 0,
    responses: 0,
    errors: [],
  };
  let answeringSince: number | null = null;

  function take(event: Json): void {
    const { type } = event;
    if (type === 'session.created' || type === 'session.updated') {
      const session = objectOf(event.session);
      report.id = textOf(session.id) ?? report.id;
      report.model = textOf(session.model) ?? report.model;
    } else if (type === 'conversation.item.created' || type === 'conversation.item.added') {
      report.items_created++;
    } else if (type === 'conversation.item.deleted') report.items_deleted++;
    else if (type === 'error' && report.errors.length < MAX_ERRORS) report.errors.push(event.error ?? null);
    else if (type === 'response.created') answeringSince ??= performance.now();
    else if (type === 'response.done') {
      answeringSince = null;
      report.responses++;
      const usage = objectOf(event.response).usage;
      if (usage) report.usage = add(report.usage ?? {}, objectOf(usage));
    }
  }

  return {
    see(data) {
      const event = eventOf(data);
      if (event) take(event);
    },
    report: () => report,
    answeringSince: () => answeringSince,
  };
}

/** Most messages are pieces of audio or text: those are not parsed. */
function eventOf(data: RawData): Json | null {
  if (!Buffer.isBuffer(data) || data.length > MAX_EVENT) return null;
  if (!marks.some((mark) => data.includes(mark))) return null;
  try {
    return objectOf(JSON.parse(data.toString('utf8')));
  } catch {
    // It goes to the caller as it is; here it only means that there is nothing to count.
    return null;
  }
}

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 256 ? value : null;

function add(sum: Counts, more: Json, depth = 1): Counts {
  const result = { ...sum };
  for (const [name, value] of Object.entries(more).slice(0, MAX_COUNTS)) {
    const known = result[name];
    if (typeof value === 'number') result[name] = (typeof known === 'number' ? known : 0) + value;
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
      result[name] = add(typeof known === 'object' ? known : {}, value as Json, depth + 1);
  }
  return result;
}
