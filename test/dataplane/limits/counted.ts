import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { chatAnswer, chatFrames, json, type Script } from '../../support/provider.ts';
import type { World } from '../../support/world.ts';
import { allSettled, countersOf, type Limits } from './limited.ts';

export const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };

/** Nanodollars of three tokens asked and five answered by gpt-4o, and all that they are in tokens. */
export const USED = { cost: 3 * 2500 + 5 * 10_000, tokens: 8, requests: 1 };
export const NONE = { cost: 0, tokens: 0, requests: 0 };

export type Used = typeof USED;

export const times = ({ cost, tokens, requests }: Used, calls: number): Used => ({
  cost: cost * calls,
  tokens: tokens * calls,
  requests: requests * calls,
});

/** Budgets in every unit, and a rate, that no test comes near to. */
export const limits: Limits = {
  usage: [
    { type: 'cost', creditLimit: 1 },
    { type: 'tokens', creditLimit: 100_000 },
    { type: 'requests', creditLimit: 1000 },
  ],
  rates: [{ type: 'requests', unit: 'rpw', value: 100_000 }],
};

export const answered: Script = json(200, chatAnswer('hello', usage));

const usageFrame = `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', choices: [], usage })}\n\n`;

/** A stream that reports its usage before it ends. */
export const countedFrames = (words: string[]): string[] =>
  chatFrames(words).flatMap((frame) => (frame.includes('[DONE]') ? [usageFrame, frame] : [frame]));

/** An answer that never comes. */
export const silent: Script = () => undefined;

export async function usedBy(world: World, keyId: string): Promise<Used> {
  const counters = await countersOf(world, keyId);
  const fill = (name: string) => counters[name]?.fill ?? 0;
  return { cost: fill('usage:cost'), tokens: fill('usage:tokens'), requests: fill('usage:requests') };
}

/** Until no call is open, and the counters of a key say in the store that nothing of them is held; answers what was used. */
export async function ended(world: World, keyId: string, check: (used: Used) => void): Promise<void> {
  await allSettled(world);
  await eventually(async () => {
    for (const { L, cap, room, fill } of Object.values(await countersOf(world, keyId))) {
      const leases = Object.values(L);
      expect(leases.map(({ h }) => h)).toEqual(leases.map(() => 0));
      expect(room + fill + leases.reduce((sum, { g, u }) => sum + g - u, 0)).toBe(cap);
    }
    check(await usedBy(world, keyId));
  }, 15_000);
}

export const exactly = (expected: Used) => (used: Used) => expect(used).toEqual(expected);

/** More than what was asked: how far an answer without a report can have come. */
export const aBound = (used: Used): void => {
  expect(used.requests).toBe(1);
  expect(used.tokens).toBeGreaterThan(8);
  expect(used.cost).toBeGreaterThan(USED.cost);
};
