/**
 * A limit as it is enforced: what an administrator saved on a policy, a key, a workspace, a provider or an organisation, or what
 * a token claims, in the units of the engine.
 */
export type Limit = {
  /**
   * Its counters belong to it, so it stays through every edit: `policy:<id>`, or
   * `<level>:<id of the owner>:<usage or rate>:<unit>:<when it was set>`, so that one that was taken away and set anew
   * starts at 0.
   */
  id: string;
  /** Counts the edits of `amount`, and of the time in which a rate refills, from 1. */
  version: number;
  organisationId: string;
  /** Null for a limit of the whole organisation. */
  workspaceId: string | null;
  level: LimitLevel;
  /** What messages call its owner: the slug or name of a policy, key, workspace or provider. */
  name: string;
  /** A usage limit is used up within its window; a rate refills all the time. */
  kind: 'usage' | 'rate';
  unit: LimitUnit;
  /** Nanodollars, tokens or requests: an integer from 0 to 2^53 - 1. */
  amount: number;
  window: LimitWindow;
  /** `hard` reserves the worst case of a call, `soft` what is expected of it; `observe` never refuses. */
  enforcement: 'hard' | 'soft' | 'observe';
  /** Milliseconds for which a call waits while what it needs is held by others. */
  waitMs: number;
  /** What happens to calls whose cost or tokens cannot be known: they add nothing, or are refused. */
  unpriced: 'count' | 'refuse';
  /** Without the store: refuse, share out the rate by this process's own count, or let pass. */
  onStoreLoss: 'closed' | 'local' | 'open';
  /** What a process held when it died without a trace stays spent until the window ends, or comes back. */
  onCrash: 'keep' | 'return';
  /** A call without a report of its usage is counted by how far it came, or as its whole worst case. */
  onAbort: 'progress' | 'reserve';
  /** In the unit of `amount`; null for no alert before the limit itself. */
  alertThreshold: number | null;
  alertEmails: readonly string[];
  /** Which calls it is about; empty for all of its owner. */
  conditions: readonly LimitCondition[];
  /** Facts of a call whose values have a counter each; empty for one counter. */
  groupBy: readonly string[];
  target: 'llm' | 'mcp_tools';
};

export type LimitLevel =
  | 'organisation'
  | 'workspace'
  | 'integration'
  | 'provider'
  | 'api_key'
  | 'token'
  | 'policy';

export type LimitUnit = 'cost' | 'tokens' | 'requests';

/** All conditions of a limit must hold: one of `values`, and none of `excludes`. `*` and `@slug/*` stand for many. */
export type LimitCondition = { key: string; values: readonly string[]; excludes: readonly string[] };

/** Calendar windows are in UTC; a week begins on Monday. */
export type LimitWindow =
  /** Refills evenly: `amount` within `seconds`. */
  | { kind: 'bucket'; seconds: number }
  /** Aligned to multiples of `seconds` since the epoch. */
  | { kind: 'fixed'; seconds: number }
  | { kind: 'weekly' }
  | { kind: 'monthly' }
  /** Every `days` times 24 hours, counted from `from`: milliseconds since the epoch, a midnight in UTC. */
  | { kind: 'days'; days: number; from: number }
  | { kind: 'forever' };
