import type { WindowSpan } from '../counters/window.ts';
import type { Limit } from '../limit.ts';
import type { Demand } from './demand.ts';
import type { Lease } from './lease.ts';
import type { Waiter } from './waiting.ts';

/** What the last document of a counter said. Amounts are in the unit of the limit. */
export type KnownCounter = {
  ver: number;
  cap: number;
  room: number;
  fill: number;
  at: number;
  fullAt: number;
  gen: number;
  /** What others have leased and neither used nor reserved. */
  idle: number;
  /** What calls of others have reserved. */
  held: number;
  /** What calls used beyond what they had reserved. */
  overshoot: number;
  /** What stays spent since the processes that hold it are silent. */
  abandoned: number;
  /** Processes that have a lease and are alive, this one included. */
  processes: number;
  /** Leases that somebody has to end. */
  strays: readonly Stray[];
  /** This process's monotonic time when the document was asked for. */
  readAt: number;
};

/** A counter as this process keeps it: one value of a limit in one window. */
export type Slot = {
  readonly id: string;
  limit: Limit;
  readonly valueKey: string;
  readonly values: Readonly<Record<string, string>>;
  readonly span: WindowSpan;
  lease: Lease;
  known: KnownCounter | null;
  readonly demand: Demand;
  readonly waiters: Set<Waiter>;
  /** Monotonic times: of the last reservation or question, of the last refusal, and when its last round began. */
  usedAt: number;
  refusedAt: number;
  roundAt: number;
  /** When the last message was sent, and the last one that the store has applied. */
  sentAt: number;
  confirmedAt: number;
  /** Takes all it is asked to take: its limit only watches. */
  isFree: boolean;
  /** Of a bucket: what was used before a time of the store that is over for sure, and may be reported. */
  reportable: { used: number; before: number };
  /** What was used when the round under way was sent. */
  usedAtSend: number;
  /** Of which hour, and after which number of resets, it has kept a sample: `<hour>:<gen>`. */
  sampled: string;
  /** Waits to be written to the journal. */
  isUnwritten: boolean;
  /** Out of memory: a handle that still points here looks for another one. */
  isClosed: boolean;
  /** Without the store: a share of the limit that this process admits by itself. */
  local: { left: number; at: number } | null;
};

/** A lease that nobody uses, and what becomes of its amount. */
export type Stray = { key: string; s: number; room: number; fill: number };

/** Whether others end a lease of this counter that stays silent. */
export const isLent = ({ limit }: Slot): boolean =>
  limit.window.kind === 'bucket' || limit.onCrash === 'return';

/** Whether calls used more than the limit allows. An amount that was set below what was used before was not passed by calls. */
export const isPassed = ({ limit, known }: Slot): boolean =>
  limit.kind === 'usage' &&
  limit.enforcement !== 'observe' &&
  known !== null &&
  known.fill > known.cap &&
  known.fill - known.overshoot <= known.cap;

/** Milliseconds after which a message does not arrive any more. */
const LATEST_MS = 60_000;

/**
 * Whether a read since the last message could arrive has shown what became of it. A copy that comes late begins anew what has
 * ended: it would leave a lease that nobody knows of.
 */
export const isSettled = ({ known, sentAt }: Slot): boolean =>
  sentAt === Number.NEGATIVE_INFINITY || (known !== null && known.readAt - sentAt > LATEST_MS);

/** Whether such a read is due. */
export const isToBeSettled = (slot: Slot, now: number): boolean =>
  !isSettled(slot) && now - slot.sentAt > LATEST_MS;
