import { expect, test } from '@jest/globals';
import { readiness } from '../../src/http/readiness.ts';

const well = { databaseUp: true, diskFull: false, limitsLost: false, clockSkew: 0, isStopping: false };

test.each([
  [{}, { ready: true, status: 'ok', database: 'up', disk: 'ok', limits: 'ok', clock: 'ok' }],
  [{ databaseUp: false }, { ready: true, status: 'degraded', database: 'down' }],
  [{ diskFull: true }, { ready: true, status: 'degraded', disk: 'full' }],
  [{ limitsLost: true }, { ready: true, status: 'degraded', limits: 'lost' }],
  [{ clockSkew: 999 }, { ready: true, status: 'ok', clock: 'ok' }],
  [{ clockSkew: -1000 }, { ready: true, status: 'ok', clock: 'off' }],
  [{ clockSkew: 3_600_000 }, { ready: true, status: 'ok', clock: 'off' }],
  [
    { isStopping: true, limitsLost: true },
    { ready: false, status: 'stopping', limits: 'lost' },
  ],
] as const)('%j is told as %j', (given, told) => {
  expect(readiness({ ...well, ...given })).toMatchObject(told);
});
