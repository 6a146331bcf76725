import { uuid } from '../../lib/ids.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { createJsonSeal } from '../session/index.ts';
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

/** A request for approval. */
export type OpenedRequest = {
  pending: PendingCall;
  /** The same for every text that opens to this request: an id may be written in more than one way. */
  uuid: string;
  /** Milliseconds since the epoch at which its time ends. */
  until: number;
  isOver: boolean;
};

/** Makes ids of requests for approval: all that the call needs stands in them, so that any process can make it later. */
export type Approvals = {
  seal(pending: PendingCall): string;
  /** Null for an id that is none of the caller's. */
  open(id: string, caller: string): OpenedRequest | null;
};

export const APPROVAL_PREFIX = 'mcpr_gw_';
/** Characters of the longest id that is looked at: the arguments of calls stand in it. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Milliseconds in which somebody may approve. */
const LIFE_MS = 24 * 3_600_000;

type Sealed = Omit<OpenedRequest, 'isOver'>;

/** `now`: milliseconds since the epoch. */
export function createApprovals(secrets: Pick<Secrets, 'encrypt' | 'decrypt'>, now: () => number): Approvals {
  const ids = createJsonSeal<Sealed>(secrets, {
    ...{ prefix: APPROVAL_PREFIX, owner: 'mcp approval', maxLength: MAX_LENGTH },
  });
  return {
    seal: (pending) => ids.seal({ pending, uuid: uuid(), until: now() + LIFE_MS }),
    open(id, caller) {
      const value = ids.open(id);
      return value?.pending.caller === caller ? { ...value, isOver: value.until <= now() } : null;
    },
  };
}
