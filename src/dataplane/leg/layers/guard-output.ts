import { guardedSend } from '../../guardrails/guarded-answer.ts';
import type { SendLayer } from './send-layer.ts';

/** Runs the guardrails of the output, and tells the caller what all guardrails came to. */
export const guardOutput: SendLayer = (send, leg, { checkHouse }) =>
  leg.guards === null || leg.denied !== null ? send : guardedSend(send, leg, leg.guards, checkHouse);
