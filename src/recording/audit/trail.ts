import { uuid } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AuditChain } from './chain.ts';
import type { AuditEntry, IdentifiedAuditEntry } from './entry.ts';
import type { Reserve } from './reserve.ts';
import type { Spool } from './spool.ts';

export type AuditTrail = {
  /**
   * Resolves when the entry is durable: in the database or, while that takes nothing, in a file on disk. Where the disk takes
   * nothing either, it resolves as well, and the entry is kept in memory and tried again, as long as there is room.
   */
  record(entry: AuditEntry): Promise<void>;
};

/** The trail of an installation, with what its start needs. */
export type DurableAuditTrail = AuditTrail & {
  /** Brings entries that had to wait, also those of an earlier process, into the database. */
  replay(): Promise<void>;
  /** Ends the attempts to bring them in; they stay on disk for the next start. Resolves when nothing is under way. */
  stop(): Promise<void>;
};

/** Milliseconds between attempts to bring waiting entries into the database. */
const REPLAY_INTERVAL = 5000;
/** Characters of entries that may wait in memory. */
const MEMORY_CHARACTERS = 8 * 1024 * 1024;

export function createAuditTrail(options: {
  chain: Pick<AuditChain, 'append' | 'settle'>;
  /** Hears of entries that have become visible in the store. */
  onAppended: (entries: readonly IdentifiedAuditEntry[]) => void;
  /** Hears why the store did not take entries. */
  onRefused: (error: unknown) => void;
  spool: Spool<IdentifiedAuditEntry>;
  reserve: Pick<Reserve, 'fill'>;
  log: Logger;
}): DurableAuditTrail {
  const { chain, onAppended, onRefused, spool, reserve, log } = options;
  let retry: NodeJS.Timeout | undefined;
  let filling: Promise<void> | null = null;
  /** What neither database nor disk has taken. */
  const held: IdentifiedAuditEntry[] = [];
  let heldCharacters = 0;
  let isStopped = false;

  async function write(entries: readonly IdentifiedAuditEntry[]): Promise<void> {
    await chain.append(entries);
    onAppended(entries);
  }

  async function replay(): Promise<void> {
    retry = undefined;
    try {
      await spool.replay(write);
      // Those that come meanwhile are not among them.
      const entries = [...held];
      if (entries.length > 0) await write(entries);
      release(entries);
      fillReserve();
    } catch (error) {
      onRefused(error);
      log.error({ error }, 'Waiting audit entries could not be written to the database yet.');
      replayLater();
    }
  }

  function replayLater(): void {
    if (isStopped) return;
    retry ??= setTimeout(() => void replay(), REPLAY_INTERVAL);
    retry.unref();
  }

  function fillReserve(): void {
    filling ??= reserve
      .fill()
      .catch((error: unknown) => log.warn({ error }, 'The reserve for audit entries could not be made.'))
      .finally(() => {
        filling = null;
      });
  }

  function hold(entry: IdentifiedAuditEntry, cause: unknown): void {
    const size = sizeOf(entry);
    if (heldCharacters + size > MEMORY_CHARACTERS) throw cause;
    held.push(entry);
    heldCharacters += size;
  }

  function release(entries: IdentifiedAuditEntry[]): void {
    held.splice(0, entries.length);
    for (const entry of entries) heldCharacters -= sizeOf(entry);
  }

  /** The last attempt to leave on disk what is in memory. */
  async function leaveBehind(): Promise<void> {
    for (const entry of held) {
      try {
        await spool.append([entry]);
      } catch (error) {
        log.error({ error, entry }, 'An audit entry was lost: neither database nor disk took it.');
      }
    }
  }

  return {
    replay,
    async stop() {
      isStopped = true;
      clearTimeout(retry);
      if (held.length > 0) await leaveBehind();
      await filling;
      await chain.settle();
    },
    async record(entry) {
      const identified = { _id: uuid(), ...entry };
      try {
        await write([identified]);
      } catch (error) {
        onRefused(error);
        log.error({ error }, 'Could not write an audit entry; it waits on disk.');
        replayLater();
        try {
          await spool.append([identified]);
        } catch (cause) {
          hold(identified, cause);
        }
      }
    },
  };
}

/** About what an entry takes in memory. */
const sizeOf = ({ requestBody, requestHeaders, uri, queryParams, userAgent }: AuditEntry): number =>
  1000 + requestBody.length + requestHeaders.length + uri.length + queryParams.length + userAgent.length;
