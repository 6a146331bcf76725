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
export type EndSession = (atOnce: boolean) => void;

/** Whose sessions count together. */
export type Owner = { credential: string; organisationId: string };

export type Budget = {
  /** `end` is called at most once. */
  enter(owner: Owner, end: EndSession): Share;
};

type Holder = { bytes: number; entries: Set<Entry> };
type Entry = { holders: readonly Holder[]; bytes: number; end: EndSession };

/**
 * Keeps what sessions hold within bounds: ends the largest of the credential, or of the organisation that holds most, so that
 * nobody pays for a neighbour.
 */
export function createBudget({ ofAll, ofOne, closing } = BUDGET): Budget {
  const credentials = new Map<string, Holder>();
  const organisations = new Map<string, Holder>();
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
    for (const holder of entry.holders) {
      holder.entries.delete(entry);
      holder.bytes -= entry.bytes;
    }
  }

  function largestOrganisation(): Holder {
    let largest = all;
    let bytes = 0;
    for (const holder of organisations.values()) {
      if (holder.bytes > bytes) {
        largest = holder;
        bytes = holder.bytes;
      }
    }
    return largest;
  }

  function enter({ credential, organisationId }: Owner, end: EndSession): Share {
    const holder = holderIn(credentials, credential);
    const entry: Entry = { holders: [holder, holderIn(organisations, organisationId), all], bytes: 0, end };
    for (const each of entry.holders) each.entries.add(entry);
    return {
      set(bytes) {
        const more = bytes - entry.bytes;
        entry.bytes = bytes;
        if (!all.entries.has(entry)) {
          closingBytes += more;
          return;
        }
        for (const each of entry.holders) each.bytes += more;
        if (more > 0 && holder.bytes > ofOne) endLargest(holder);
        if (more > 0 && all.bytes > ofAll) endLargest(largestOrganisation());
      },
      leave() {
        if (all.entries.has(entry)) remove(entry);
        else closingBytes -= entry.bytes;
        if (holder.entries.size === 0 && credentials.get(credential) === holder)
          credentials.delete(credential);
        const organisation = organisations.get(organisationId);
        if (organisation?.entries.size === 0) organisations.delete(organisationId);
      },
    };
  }

  return { enter };
}

function holderIn(holders: Map<string, Holder>, name: string): Holder {
  const holder = holders.get(name) ?? { bytes: 0, entries: new Set() };
  holders.set(name, holder);
  return holder;
}
