import { describe, expect, it } from '@jest/globals';
import { tableOf, worseChecks } from '../../scripts/conformance-mcp/compare.ts';
import { type CheckStatus, type Scores, worstOf } from '../../scripts/conformance-mcp/suite.ts';

const scores = (given: Record<string, Record<string, CheckStatus>>): Scores =>
  new Map(Object.entries(given).map(([name, checks]) => [name, new Map(Object.entries(checks))]));

describe('checks 3 and 4: the comparison of the conformance suite', () => {
  const direct = scores({ ping: { a: 'SUCCESS', b: 'WARNING' }, tools: { c: 'FAILURE' } });

  it('finds nothing where the gateway is as good as the server, or better', () => {
    expect(worseChecks(direct, direct)).toEqual([]);
    const better = scores({ ping: { a: 'SUCCESS', b: 'SUCCESS', z: 'INFO' }, tools: { c: 'SUCCESS' } });
    expect(worseChecks(direct, better)).toEqual([]);
  });

  it('names what is worse, missing, not tried, or new and failing', () => {
    expect(worseChecks(direct, scores({ ping: { a: 'WARNING', b: 'FAILURE', d: 'FAILURE' } }))).toEqual([
      'ping: a is WARNING, and SUCCESS at the server.',
      'ping: b is FAILURE, and WARNING at the server.',
      'ping: d is FAILURE, and was not found at the server.',
      'tools: it was not tried through the gateway.',
    ]);
    expect(worseChecks(direct, scores({ ping: { b: 'WARNING' }, tools: { c: 'FAILURE' } }))).toEqual([
      'ping: a is missing, and SUCCESS at the server.',
    ]);
  });

  it('takes a check that was made several times for its worst, and prints both columns', () => {
    const worst = worstOf([
      { id: 'a', status: 'SUCCESS' },
      { id: 'a', status: 'WARNING' },
      { id: 'b', status: 'INFO' },
    ]);
    expect(Object.fromEntries(worst)).toEqual({ a: 'WARNING', b: 'INFO' });
    expect(tableOf(direct, new Map([['ping', worst]])).replace(/ +/g, ' ')).toBe(
      'scenario direct through\nping 1/2 0/1\ntools 0/1 0/0\nall checks 1/3 0/1',
    );
  });
});
