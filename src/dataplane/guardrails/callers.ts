import type { KeyRecord } from '../../directory/memory.ts';
import type { CheckedCall } from '../../guardrails/check.ts';

/** Under a symbol, so that nothing which writes the call down, or reads its members, comes upon the key. */
const owner = Symbol('owner');

/** Whose a call is that checks look at. One that somebody only describes, to try guardrails out, is nobody's. */
type OwnedCall = CheckedCall & { readonly [owner]?: KeyRecord };

/** The call, with whoever makes it known to the models that its checks ask. */
export const inNameOf = (key: KeyRecord, call: CheckedCall): CheckedCall =>
  Object.assign(call, { [owner]: key });

/** Who made a call; undefined for a call that is nobody's. */
export const callerOf = (call: CheckedCall): KeyRecord | undefined => (call as OwnedCall)[owner];
