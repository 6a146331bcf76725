const MIB = 1024 * 1024;

/**
 * Bytes of messages on their way that one process holds for all realtime sessions, for those of one credential, and beside
 * that for sessions that are being closed.
 */
const BUDGET = { ofAll: 256 * MIB, ofOne: 64 * MIB, closing: 32 * MIB };

/** One session's part of the budget. */
export type Share = {
  /** How many bytes the session holds now. Where that is too much, the session that holds most is told to end. */
  set(bytes: number): void;
  leave(): void;
};

/** Ends a session, which takes nothing in any more. `atOnce`: without waiting for the other ends of its connections. */
export type End = (atOnce: boolean) => void;

export type Budget = {
  /** `credential`: whose sessions count together. `end` is called at most once. */
  enter(credential: string, end: End): Share;
};

type Holder = { bytes: number; entries: Set<Entry> };
type Entry = { credential: string; holder: Holder; bytes: number; end: End };

/** Keeps what sessions hold within bounds: ends the largest, so that a session pays for itself and not for its neighbours. */
export function createBudget({ ofAll, ofOne, closing } = BUDGET): Budget {
  const holders = new Map<string, Holder>();
  const all: Holder = { bytes: 0, entries: new Set() };
  let closingBytes = 0;

  /** What it holds does not count among the others any more, so that they need not end as well until it is gone. */
  function endLargest({ entries }: Holder): void {
    let largest: Entry | null = null;
    for (const entry of entries) if (entry.bytes > (largest?.bytes ?? 0)) largest = entry;
    if (!largest) return;
    remove(largest);
    closingBytes += largest.bytes;
    largest.end(closingBytes > closing);
  }

  function remove(entry: Entry): void {
    for (const holder of [entry.holder, all]) {
      holder.entries.delete(entry);
      holder.bytes -= entry.bytes;
    }
    if (entry.holder.entries.size === 0) holders.delete(entry.credential);
  }

  function enter(credential: string, end: End): Share {
    const holder = holders.get(credential) ?? { bytes: 0, entries: new Set() };
    holders.set(credential, holder);
    const entry: Entry = { credential, holder, bytes: 0, end };
    holder.entries.add(entry);
    all.entries.add(entry);
    return {
      set(bytes) {
        const more = bytes - entry.bytes;
        entry.bytes = bytes;
        if (!all.entries.has(entry)) {
          closingBytes += more;
          return;
        }
        holder.bytes += more;
        all.bytes += more;
        if (more > 0 && holder.bytes > ofOne) endLargest(holder);
        if (more > 0 && all.bytes > ofAll) endLargest(all);
      },
      leave() {
        if (all.entries.has(entry)) remove(entry);
        else closingBytes -= entry.bytes;
      },
    };
  }

  return { enter };
}
