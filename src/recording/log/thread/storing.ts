import { BSON, MongoInvalidArgumentError } from 'mongodb';
import type { Logger } from '../../../lib/logger.ts';
import { isMissing } from '../../../lib/unless-gone.ts';
import { decodeDrafts, isTold } from '../codec/draft-codec.ts';
import type { ExchangeDraft } from '../draft.ts';
import type { Prepared } from '../prepare.ts';
import type { LogEntry, Observed } from '../record.ts';

type Options = {
  prepare: (drafts: ExchangeDraft[]) => Promise<Prepared>;
  observe: (made: Observed[]) => void;
  write: (entries: LogEntry[]) => Promise<void>;
  log: Logger;
};

export type StoringOutcome = {
  /** False where the database took not all; what it took stays there, and may be given to it again. */
  isTaken: boolean;
  written: number;
  /** Drafts that could not be worked out, or that no database would take. */
  lost: number;
  /** True where the chunks could not be read to the end. */
  isDamaged: boolean;
  /** Chunks, from the first, of which metrics and spans know. */
  told: number;
};

/** Entries that are written at once. */
const BATCH = 1000;

/** Works chunks of drafts out and writes them, many at once. */
export class Storing {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Never rejects. `told`: chunks, from the first, of which metrics and spans know already. */
  async store(
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    { told = 0, isAway = false }: { told?: number; isAway?: boolean } = {},
  ): Promise<StoringOutcome> {
    const outcome: StoringOutcome = { isTaken: !isAway, written: 0, lost: 0, isDamaged: false, told: 0 };
    let entries: LogEntry[] = [];
    try {
      for await (const chunk of chunks) {
        const worked = await this.#workOut(
          decodeDrafts(chunk),
          outcome.told < told || isTold(chunk),
          outcome,
        );
        outcome.told++;
        if (isAway) continue;
        entries = entries.concat(worked);
        if (entries.length < BATCH) continue;
        await this.#write(entries, outcome);
        entries = [];
        if (!outcome.isTaken) break;
      }
    } catch (error) {
      // Another process has taken the file over.
      if (!isMissing(error)) {
        outcome.isDamaged = true;
        this.#options.log.error({ error }, 'Request logs cannot be read to the end.');
      }
    }
    if (outcome.isTaken) await this.#write(entries, outcome);
    return outcome;
  }

  async #workOut(
    drafts: ExchangeDraft[],
    isToldAlready: boolean,
    outcome: StoringOutcome,
  ): Promise<LogEntry[]> {
    try {
      const { entries, made } = await this.#options.prepare(drafts);
      if (!isToldAlready) this.#options.observe(made);
      return entries;
    } catch (error) {
      this.#lose(drafts.length, error, outcome);
      return [];
    }
  }

  async #write(entries: LogEntry[], outcome: StoringOutcome): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#options.write(entries);
      outcome.written += entries.length;
    } catch (error) {
      if (!isOfEntry(error)) {
        outcome.isTaken = false;
        this.#options.log.warn(
          { error, records: entries.length },
          'The database does not take request logs.',
        );
      } else if (entries.length === 1) this.#lose(1, error, outcome);
      else for (const entry of entries) if (outcome.isTaken) await this.#write([entry], outcome);
    }
  }

  #lose(drafts: number, error: unknown, outcome: StoringOutcome): void {
    outcome.lost += drafts;
    this.#options.log.error({ error, records: drafts }, 'Request logs were lost: they cannot be stored.');
  }
}

/** Whether an entry is to blame, which no database would take; it shall take no other with it. */
const isOfEntry = (error: unknown): boolean =>
  error instanceof BSON.BSONError ||
  error instanceof MongoInvalidArgumentError ||
  error instanceof RangeError;
