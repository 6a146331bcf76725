import type { Model, QueryFilter, SortOrder } from 'mongoose';
import type { Logger } from '../lib/logger.ts';

/** What is kept of a message until somebody outside has taken it. */
export type Outgoing = {
  _id: string;
  /** `pending`: it is going to be sent. `failed`: it was refused for good, or all tries were used up. */
  status: 'kept' | 'pending' | 'sent' | 'failed';
  /** Tries that were begun. */
  attempts: number;
  /** When the next try may begin; null when there is none to come. */
  nextAttemptAt: Date | null;
  lastError: string | null;
  sentAt: Date | null;
};

/** Members of a schema. */
export const outgoingFields = {
  status: { type: String, required: true },
  attempts: { type: Number, default: 0 },
  nextAttemptAt: { type: Date, default: null },
  lastError: { type: String, default: null },
  sentAt: { type: Date, default: null },
};

/** Why a message did not leave; `isFinal` where another try would be refused as well. */
export class Undelivered extends Error {
  readonly isFinal: boolean;
  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** How messages of one kind leave. */
export type Sending<T extends Outgoing> = {
  model: Model<T>;
  /** What the log calls a message. */
  what: string;
  /** Seconds between the tries; after the last pause comes no further try. */
  pauses: readonly number[];
  /** Resolves when the message was taken; throws `Undelivered`. */
  send(message: T): Promise<void>;
  /** Members that are set to these values once no try comes any more, such as a secret. */
  forgets?: Partial<T>;
  now: () => Date;
  log: Logger;
};

/** Messages whose next try may begin. */
export const dueAt = (now: Date) => ({ status: 'pending' as const, nextAttemptAt: { $lte: now } });

/** Tries the message that waits longest of those that match. */
export async function sendNext<T extends Outgoing>(
  sending: Sending<T>,
  filter: QueryFilter<T> = {},
): Promise<'none' | 'sent' | 'undelivered'> {
  const message = await claimNext(sending, filter);
  if (!message) return 'none';
  const { model, what, pauses, send, forgets, now, log } = sending;
  const { _id, attempts, lastError } = message;
  const over = { ...forgets, nextAttemptAt: null };
  try {
    if (attempts > pauses.length) throw new Undelivered(lastError ?? 'All tries were used up.', true);
    await send(message);
    await update(model, { _id }, { ...over, status: 'sent', sentAt: now(), lastError: null });
    return 'sent';
  } catch (error) {
    if (!(error instanceof Undelivered)) throw error;
    const isOver = error.isFinal || attempts >= pauses.length;
    log.warn({ id: _id, attempts, reason: error.message }, `${what} could not be sent.`);
    const change = { lastError: error.message, ...(isOver && { ...over, status: 'failed' }) };
    await update(model, { _id, status: 'pending' }, change);
    return 'undelivered';
  }
}

/**
 * Begins a try: the next one is noted before this one starts, so that a process that dies, or another one beside it, does
 * not send the message at the same time.
 */
async function claimNext<T extends Outgoing>(
  { model, pauses, now }: Sending<T>,
  filter: QueryFilter<T>,
): Promise<T | null> {
  const sort: Record<string, SortOrder> = { nextAttemptAt: 1 };
  const due = { ...filter, ...dueAt(now()) } as QueryFilter<T>;
  const next = (await model.findOne(due).sort(sort).lean()) as T | null;
  if (!next) return null;
  const { _id, attempts } = next;
  // What was its last try may still be under way when this moment comes, and then nothing more happens.
  const pause = pauses[attempts] ?? (pauses.at(-1) as number);
  const claimed = await model
    .findOneAndUpdate(
      { _id, attempts, status: 'pending' } as QueryFilter<T>,
      { attempts: attempts + 1, nextAttemptAt: new Date(now().getTime() + pause * 1000) },
      { returnDocument: 'after' },
    )
    .lean();
  return claimed as T | null;
}

const update = <T>(model: Model<T>, filter: object, change: object) =>
  model.updateOne(filter as QueryFilter<T>, change);
