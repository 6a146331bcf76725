import type { Connection } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import { keyUseModel } from './model.ts';

export { type KeyUseDocument, keyUseModel } from './model.ts';

export type KeyUses = {
  /** Notes a use at this moment: no more than a number in memory. */
  note(keyId: string): void;
  /** The last use that this process knows of and has not written yet. */
  unwritten(keyId: string): Date | null;
  start(): void;
  /** Writes what was noted. */
  stop(): Promise<void>;
};

type Options = {
  db: Connection;
  /** Those of the keys that still exist. */
  existing: (keyIds: string[]) => Promise<string[]>;
  now: () => Date;
  log: Logger;
};

/** Milliseconds between two writes: what is stored is at most that old. */
const INTERVAL_MS = 60_000;
/** Keys that one write is about. */
const BATCH = 500;

/** When keys were last used. Each process notes it by itself, and the latest of what they write stays. */
export function createKeyUses({ db, existing, now, log }: Options): KeyUses {
  let noted = new Map<string, number>();
  let writing = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    if (noted.size === 0 || writing.size > 0) return;
    [writing, noted] = [noted, new Map()];
    try {
      const uses = [...writing];
      for (let start = 0; start < uses.length; start += BATCH) await write(uses.slice(start, start + BATCH));
    } catch (error) {
      log.warn({ error }, 'The last uses of API keys could not be written yet.');
      // What was noted meanwhile is newer.
      noted = new Map([...writing, ...noted]);
    } finally {
      writing = new Map();
    }
  }

  async function write(uses: [string, number][]): Promise<void> {
    const ids = new Set(await existing(uses.map(([id]) => id)));
    const updates = uses
      .filter(([id]) => ids.has(id))
      .map(([_id, at]) => ({
        updateOne: { filter: { _id }, update: { $max: { usedAt: new Date(at) } }, upsert: true },
      }));
    if (updates.length > 0) await keyUseModel(db).bulkWrite(updates, { ordered: false });
  }

  return {
    note: (keyId) => void noted.set(keyId, now().getTime()),
    unwritten(keyId) {
      const at = noted.get(keyId) ?? writing.get(keyId);
      return at === undefined ? null : new Date(at);
    },
    start() {
      timer = setInterval(() => void flush(), INTERVAL_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
