import { beforeEach, describe, expect, test } from '@jest/globals';
import { createThrottle, sleep, type Throttle } from '../../src/auth/index.ts';
import { GatewayError } from '../../src/errors/index.ts';
import { createLogger, type Logger } from '../../src/lib/logger.ts';

const MINUTE = 60_000;

let clock: number;
/** Milliseconds of each answer that was put off. */
let delays: number[];
/** Lets one answer go, in order, while `held`. */
let waiting: (() => void)[];
let held: boolean;
let lines: object[];
let throttle: Throttle;

beforeEach(() => {
  clock = 0;
  delays = [];
  waiting = [];
  held = false;
  lines = [];
  const log: Logger = { ...createLogger('silent'), warn: (facts: object) => void lines.push(facts) };
  throttle = createThrottle({
    log,
    now: () => clock,
    sleep: (milliseconds) => {
      delays.push(milliseconds);
      return held ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
    },
  });
});

async function fail(times: number, address = '192.0.2.1', clientId?: string): Promise<void> {
  for (let count = 0; count < times; count++) {
    await throttle.slow({ door: 'graph', address, ...(clientId && { clientId }) });
  }
}

describe('answers to wrong credentials', () => {
  test('come at once nine times a minute, then ever later, up to three seconds', async () => {
    await fail(9);
    expect(delays).toEqual([]);
    await fail(8);
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3000, 3000, 3000]);
  });

  test('say of a client whether they are slowed', async () => {
    await fail(9, '192.0.2.1', 'robot');
    expect(throttle.isSlowed('robot')).toBe(false);
    await fail(1, '192.0.2.7', 'robot');
    expect([throttle.isSlowed('robot'), throttle.isSlowed('other')]).toEqual([true, false]);
    clock = 2 * MINUTE;
    expect(throttle.isSlowed('robot')).toBe(false);
  });

  test('count half with each minute that passes', async () => {
    await fail(30);
    clock = MINUTE;
    delays = [];
    await fail(1);
    expect(delays).toEqual([100]);
    clock = 3 * MINUTE;
    delays = [];
    await fail(6);
    expect(delays).toEqual([]);
  });

  test('are never put off for nine failures in each minute', async () => {
    for (clock = 0; clock < 20 * MINUTE; clock += MINUTE / 4) await fail(1);
    expect(delays).toEqual([]);
  });

  test.each([
    ['another address', '192.0.2.2', []],
    ['the same address inside IPv6', '::ffff:192.0.2.1', [200]],
  ])('count for one client: %s', async (_which, address, expected) => {
    await fail(10);
    delays = [];
    await fail(1, address);
    expect(delays).toEqual(expected);
  });

  test.each([
    ['the same network', '2001:db8:0:7:ffff::9', [200]],
    ['the network beside it', '2001:db8:0:8::1', []],
  ])('count for a /64 of IPv6: %s', async (_which, address, expected) => {
    await fail(10, '2001:db8:0:7::1');
    delays = [];
    await fail(1, address);
    expect(delays).toEqual(expected);
  });

  test('count for a client id as well, whatever address they come from', async () => {
    for (let host = 1; host <= 10; host++) await fail(1, `192.0.2.${host}`, 'robot');
    expect(delays).toEqual([100]);
    await fail(1, '192.0.2.99', 'other');
    expect(delays).toEqual([100]);
  });

  test('wait three hundred at a time; further ones are turned away at once', async () => {
    await fail(9);
    held = true;
    const slowed = Array.from({ length: 300 }, () => fail(1));
    await expect(fail(1)).rejects.toMatchObject({ code: 'TOO_MANY_FAILURES', retryAfter: 3 });
    for (const go of waiting) go();
    await Promise.all(slowed);
    held = false;
    await fail(1);
    expect(delays).toHaveLength(301);
  });

  test('leave one line a minute in the log, which says what was counted', async () => {
    await fail(9);
    expect(lines).toEqual([]);
    await fail(21);
    expect(lines).toEqual([{ door: 'graph', address: '192.0.2.1', failures: 10 }]);
    clock = MINUTE;
    await fail(1);
    expect(lines[1]).toEqual({ door: 'graph', address: '192.0.2.1', failures: 21 });
  });
});

describe('a refusal', () => {
  const attempt = { door: 'rest', address: '192.0.2.1' };

  test.each([
    ['counts a wrong credential', new GatewayError('UNAUTHENTICATED'), 1],
    ['does not count a missing scope', new GatewayError('FORBIDDEN'), undefined],
    ['does not count a database that is away', new GatewayError('STORE_UNAVAILABLE'), undefined],
    ['does not count a defect', new TypeError('defect'), undefined],
  ])('%s, and throws what it was given', async (_what, error, counted) => {
    await expect(throttle.refuse(error, attempt)).rejects.toBe(error);
    expect(throttle.failures.get('rest')).toBe(counted);
  });
});

describe('sleep', () => {
  test('ends when it is told to, before or after it began', async () => {
    const stop = new AbortController();
    const slept = sleep(1_000_000, stop.signal);
    stop.abort();
    await slept;
    await sleep(1_000_000, stop.signal);
  });

  test('ends by itself', async () => {
    await sleep(1, new AbortController().signal);
  });
});
