import type { KeyRecord } from '../../directory/memory.ts';
import type { CheckedCall } from '../../guardrails/check.ts';

/** Whose the calls are that checks look at. A call that somebody only describes, to try guardrails out, is nobody's. */
const callers = new WeakMap<CheckedCall, KeyRecord>();

/** The call, with whoever makes it known to the models that its checks ask. */
export function inNameOf(key: KeyRecord, call: CheckedCall): CheckedCall {
  callers.set(call, key);
  return call;
}

/** Who made a call; undefined for a call that is nobody's. */
export const callerOf = (call: CheckedCall): KeyRecord | undefined => callers.get(call);
