import type { CounterDocument, CounterUpdate, StoredLease } from '../counters/document.ts';
import { refillOf, unitMsOf } from '../ledger/bucket.ts';
import { latestTime } from '../ledger/reading.ts';
import type { JournaledLease } from './records.ts';

/**
 * The updates that end what a dead process has of a counter: what it used and what its calls held when it died are used for
 * good, the rest goes back. Nobody knows what those calls came to, so they count as their worst case.
 */
export function recoveryOf(
  counter: CounterDocument,
  processId: string,
  journal: ReadonlyMap<string, JournaledLease>,
): CounterUpdate[] {
  const left = Object.entries(counter.L).filter(([key]) => key.startsWith(`${processId}-`));
  if (left.length === 0) return [];
  const { _id: id, seconds, cap } = counter;
  const ends = left.map(([key, lease]) => endOf(id, key, lease, journal.get(key)));
  if (seconds === null) return ends;
  // A bucket takes use only where it has not been full since: see `ledger/bucket.ts`.
  const limit = { window: { kind: 'bucket', seconds } } as const;
  const before = latestTime(counter);
  const refill = refillOf({ id, limit, reportable: { used: 0, before } }, counter, before);
  const later = ends.map((end) => ({
    ...end,
    ...(end.fill !== 0 && {
      fullAtLeast: before,
      capIs: cap,
      fullLater: end.fill * unitMsOf({ limit }, cap),
    }),
  }));
  return refill ? [refill, ...later] : later;
}

/** A lease of which the journal knows nothing was granted to a process that never heard of it. */
function endOf(id: string, key: string, { s, g, u }: StoredLease, known: JournaledLease | undefined) {
  const held = known?.held ?? 0;
  const spent = Math.max(u, (known?.used ?? 0) + held);
  const back = { room: g - spent, fill: spent - u };
  return {
    kind: 'lease' as const,
    id,
    lease: key,
    after: [s],
    grantIs: g,
    ...back,
    ...(held > 0 && { uncertain: held }),
    becomes: null,
  };
}
