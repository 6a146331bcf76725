import { setTimeout as wait } from 'node:timers/promises';
import { MOST_TOKENS } from './biller.ts';
import type { Fleet } from './fleet.ts';

/** How often calls were answered in which way: by code of the error, or by status. */
export type Tally = Map<string, number>;

/** Milliseconds after which a caller comes again who was refused while gateways are killed. */
const AGAIN_MS = 1000;

/**
 * Callers who call one after another. `isPatient`: a budget that is spent may have something again, since what a dead gateway
 * held comes back; else a caller leaves then. Resolves when all have left.
 */
export async function callAll(
  fleet: Fleet,
  { key, run, callers, isPatient }: { key: string; run: string; callers: number; isPatient: boolean },
  isOver: () => boolean,
): Promise<Tally> {
  const tally: Tally = new Map();
  const body = JSON.stringify({
    model: '@biller/gpt-4o',
    user: run,
    max_tokens: MOST_TOKENS,
    messages: [{ role: 'user', content: 'hello' }],
  });
  const headers = {
    'content-type': 'application/json',
    'x-gateway-api-key': key,
    'x-gateway-metadata': JSON.stringify({ run }),
  };

  async function call(): Promise<string> {
    const pool = fleet.any();
    if (!pool) return 'nobody answers';
    try {
      const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode === 200) return '200';
      return JSON.parse(text).error?.code ?? String(answer.statusCode);
    } catch {
      // The gateway was killed, or stood still for too long.
      return 'broken off';
    }
  }

  async function caller(): Promise<void> {
    while (!isOver()) {
      const answer = await call();
      tally.set(answer, (tally.get(answer) ?? 0) + 1);
      if (answer === '200') continue;
      if (answer === 'usage_limit_reached' && !isPatient) return;
      await wait(AGAIN_MS * (0.5 + Math.random()));
    }
  }
  await Promise.all(Array.from({ length: callers }, caller));
  return tally;
}
