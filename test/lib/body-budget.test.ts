import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GatewayError } from '../../src/errors/index.ts';
import { type BodyOwner, createBodyBudget, type Hold } from '../../src/lib/bodies/index.ts';

const MIB = 1024 * 1024;
const SUM = 64 * MIB;

const codeOf = (attempt: () => void): string | null => {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof GatewayError) return `${error.entry.status} ${error.code}`;
    throw error;
  }
};

describe('what bodies hold', () => {
  const step = fc.record({
    body: fc.nat(11),
    bytes: fc.oneof(fc.nat(64 * 1024), fc.nat(20 * MIB)),
    ends: fc.boolean(),
  });
  const owners: (BodyOwner | string)[] = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'];
  for (const organisationId of ['a', 'b']) {
    for (const id of ['1', '2', '3', '4']) owners.push({ organisationId, id });
  }

  it('stays within every share and is given back whole, in whatever order bodies grow and end', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const budget = createBodyBudget({ sum: SUM, largest: MIB });
        const holds = new Map<number, { hold: Hold; bytes: number }>();
        const heldBy = (isIn: (owner: BodyOwner | string) => boolean) =>
          [...holds].reduce((sum, [body, { bytes }]) => {
            const owner = owners[body];
            return owner !== undefined && isIn(owner) ? sum + bytes : sum;
          }, 0);
        for (const { body, bytes, ends } of steps) {
          const owner = owners[body] as BodyOwner | string;
          const open = holds.get(body) ?? {
            hold: typeof owner === 'string' ? budget.hold(null, owner) : budget.hold(owner, '192.0.2.9'),
            bytes: 0,
          };
          holds.set(body, open);
          if (ends) {
            open.hold.release();
            holds.delete(body);
          } else if (codeOf(() => open.hold.set(bytes)) === null) open.bytes = bytes;
          expect(budget.held()).toBe(heldBy(() => true));
          expect(budget.held()).toBeLessThanOrEqual(SUM);
          expect(heldBy((each) => each === owner)).toBeLessThanOrEqual(SUM / 4);
          expect(heldBy((each) => typeof each === 'string')).toBeLessThanOrEqual(SUM / 32);
          for (const name of ['a', 'b'])
            expect(
              heldBy((each) => typeof each !== 'string' && each.organisationId === name),
            ).toBeLessThanOrEqual(SUM / 2);
        }
        for (const { hold } of holds.values()) hold.release();
        expect([budget.held(), budget.holders()]).toEqual([0, 0]);
      }),
    );
  });
});
