import type { CheckHouse } from '../../guardrails/engine/index.ts';
import type { Phase } from '../../guardrails/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { rpc } from '../exchange/failure.ts';
import { type FindGuardrails, guardrailsFor } from './find-guardrails.ts';
import { ExchangeGuards, type GuardedExchange } from './guards.ts';
import { paramsTexts } from './leaf-body.ts';

type Passed = JsonObject | null;

/** Guardrails on messages that belong to no call: questions of a server, answers to them, and notices of both sides. */
export type MessageGuards = {
  /** The message as it may go on; null where it may not. `input`: to the server. Rejects where a guardrail cannot be run. */
  passed(
    phase: Phase,
    exchange: Pick<GuardedExchange, 'visit' | 'server'>,
    message: JsonObject,
  ): Passed | Promise<Passed>;
};

export const createMessageGuards = (lookup: FindGuardrails, house: CheckHouse): MessageGuards => ({
  passed(phase, { visit, server }, message) {
    const found = guardrailsFor(server, lookup);
    if (found === null) return message;
    return Promise.resolve(found).then((leg) => {
      if (leg === null || leg[phase].length === 0) return message;
      return passedMessage(phase, message, {
        guards: new ExchangeGuards(leg, house),
        exchange: { visit, server, subject: null, isOver: false },
      });
    });
  },
});

/** Members of a message that hold what is said. */
const parts = ['params', 'result', 'error'] as const;

/** A message as guardrails leave it; null where they refuse it. */
export async function passedMessage(
  phase: Phase,
  message: JsonObject,
  { guards, exchange }: { guards: Pick<ExchangeGuards, 'judge'>; exchange: GuardedExchange },
): Promise<Passed> {
  // What a server notes for developers, line by line, cannot be judged as a whole.
  if (phase === 'output' && message.method === 'notifications/message') return null;
  let passed = message;
  for (const part of parts) {
    const value = message[part];
    if (!isObject(value)) continue;
    const judged = await guards.judge(phase, exchange, { value, find: paramsTexts, asked: {} });
    if (judged.denial !== null) return null;
    if (judged.value !== value) passed = { ...passed, [part]: judged.value };
  }
  return passed;
}

/** What whoever waits for the answer to a refused message gets; null for a message without an answer. */
export function refusedAnswer({ id, method }: JsonObject): JsonObject | null {
  if (id === undefined || typeof method !== 'string') return null;
  return { jsonrpc: '2.0', id, error: { code: rpc.guardrail, message: 'Refused by a guardrail.' } };
}
