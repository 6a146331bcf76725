import type { UsageSample } from './samples.ts';

/** Milliseconds without a message after which a lease counts as that of a dead process. */
export const SILENCE_MS = 30_000;

/** A piece of a counter that one process took out of its room. All numbers but `s` and `t` are in the unit of the limit. */
export type StoredLease = {
  /** Number of the last message that its process applied. */
  s: number;
  /** Taken out of the room so far, less what went back. */
  g: number;
  /** Used for good, as far as reported. */
  u: number;
  /** Reserved by calls under way, and used but not yet reported. */
  h: number;
  /** The store's time of that message, in milliseconds since the epoch. */
  t: number;
  /** Of `u`, what is a bound because no usage was reported. */
  c?: number;
  /** What calls used beyond what they had reserved. */
  o?: number;
  /** Calls without a price. */
  p?: number;
};

/**
 * A counter in the store. In every version of it `room` + `fill` + the sum of `g` - `u` over all leases is `cap`. Times are
 * milliseconds since the epoch.
 */
export type CounterDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string | null;
  limitId: string;
  /** Version of the limit whose amount is `cap`. */
  ver: number;
  valueKey: string;
  values: Readonly<Record<string, string>>;
  unit: string;
  /** Start and end of the window; null for a bucket or a window without an end. */
  from: number | null;
  until: number | null;
  /** Seconds in which a bucket refills from empty; null for a window. */
  seconds: number | null;
  cap: number;
  /** What anybody may take. Less than nothing after calls that cost more than they had reserved. */
  room: number;
  /** Used for good. A bucket moves it back to `room` as time passes. */
  fill: number;
  /** Of a bucket: until when it has been refilled, and when it would be full if nobody used more. */
  at: number;
  fullAt: number;
  /** Counts the resets. */
  gen: number;
  uncertain: number;
  overshoot: number;
  unpriced: number;
  /** By the key of the lease: the process's id, a dash, and a number that is used once. */
  L: Record<string, StoredLease>;
  /** Of the hours of the last day in which it was used. */
  samples: Record<string, UsageSample>;
  expiresAt: Date | null;
};

/** What a new counter starts as. */
export type NewCounter = Omit<CounterDocument, 'L' | 'samples'>;

/**
 * One atomic change of one counter, which happens only if all its conditions hold. Fields of `add` are added to what is there.
 */
export type CounterUpdate =
  | { kind: 'make'; id: string; counter: NewCounter }
  | {
      kind: 'lease';
      id: string;
      lease: string;
      /** Numbers of messages of which the last applied one must be; null: there is no such lease yet. */
      after: readonly number[] | null;
      roomAtLeast?: number;
      fullAtLeast?: number;
      capIs?: number;
      /** What the lease must have been granted. */
      grantIs?: number;
      room: number;
      fill: number;
      /** Milliseconds by which a bucket will be full later. */
      fullLater?: number;
      /** What the lease becomes; null removes it. Its `t` is the store's time. */
      becomes: { s: number; add: number; u?: number; h: number; c?: number; o?: number; p?: number } | null;
      uncertain?: number;
      overshoot?: number;
      unpriced?: number;
      expiresAt?: Date;
    }
  /** `fill`: exactly what there is, where all of it goes back. */
  | { kind: 'refill'; id: string; at: number; fill?: number; amount: number; newAt: number; fullAt?: number }
  /** Keeps what was counted at a moment, unless there is a sample of that hour since the last reset. */
  | { kind: 'sample'; id: string; sample: UsageSample }
  /** Brings a counter to another version of its limit. */
  | {
      kind: 'edit';
      id: string;
      ver: number;
      cap: number;
      newVer: number;
      newCap: number;
      fullAt?: number;
      at?: number;
    };

/** Where counters are. */
export type CounterStore = {
  /** Applies the updates in this order, and resolves when they are durable. */
  write(updates: readonly CounterUpdate[]): Promise<void>;
  read(ids: readonly string[]): Promise<CounterDocument[]>;
};
