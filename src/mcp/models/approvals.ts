import { isObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { ModelCall } from './formats/format.ts';

/** A call that waits for approval, as the id of the request for it says. */
export type PendingCall = {
  /** Whose it is: nobody else's approval counts. */
  caller: string;
  label: string;
  /** Its own name at its server. */
  name: string;
  call: ModelCall;
  /** Calls of the same turn that need no approval, and are made with this one. */
  deferred: { label: string; name: string; call: ModelCall }[];
};

/** Makes ids of requests for approval: all that the call needs stands in them, so that any process can make it later. */
export type Approvals = {
  seal(pending: PendingCall): string;
  /** Null for an id that is none of the caller's, or whose time is over. */
  open(id: string, caller: string): PendingCall | null;
};

export const APPROVAL_PREFIX = 'mcpr_gw_';
const OWNER = 'mcp approval';
/** Milliseconds in which somebody may approve. */
const LIFE_MS = 24 * 3_600_000;

/** `now`: milliseconds since the epoch. */
export function createApprovals(secrets: Pick<Secrets, 'encrypt' | 'decrypt'>, now: () => number): Approvals {
  return {
    seal(pending) {
      const text = JSON.stringify({ pending, until: now() + LIFE_MS });
      return APPROVAL_PREFIX + secrets.encrypt(text, OWNER).slice('v1.'.length);
    },
    open(id, caller) {
      const value = opened(id, secrets);
      if (value === null || value.until <= now() || value.pending.caller !== caller) return null;
      return value.pending;
    },
  };
}

type Sealed = { pending: PendingCall; until: number };

function opened(id: string, secrets: Pick<Secrets, 'decrypt'>): Sealed | null {
  if (!id.startsWith(APPROVAL_PREFIX)) return null;
  try {
    const value: unknown = JSON.parse(secrets.decrypt(`v1.${id.slice(APPROVAL_PREFIX.length)}`, OWNER));
    return isObject(value) ? (value as Sealed) : null;
  } catch {
    // Whatever was changed in it, it is no request of ours.
    return null;
  }
}
