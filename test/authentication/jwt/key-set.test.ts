import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import {
  COOLDOWN,
  createKeySet,
  type KeySet,
  MAX_AGE,
  RETRY_INTERVAL,
} from '../../../src/authentication/jwt/key-set.ts';

const { publicKey: key } = generateKeyPairSync('ed25519');

let clock: number;
let published: string[];
let down: boolean;
let fetches: number;
let failures: number;
let keys: KeySet;

beforeEach(() => {
  clock = 0;
  published = ['a'];
  down = false;
  fetches = 0;
  failures = 0;
  keys = createKeySet({
    async fetch() {
      fetches++;
      if (down) throw new Error('The issuer is down.');
      return new Map<string, KeyObject>(published.map((kid) => [kid, key]));
    },
    onFailure: () => void failures++,
    now: () => clock,
  });
});

const unavailable = { code: 'ISSUER_UNAVAILABLE' };
/** Lets what goes on in the background come to its end. */
const settled = () => keys.refresh();

test('a known key comes at once, an unknown one by a fetch', async () => {
  await keys.refresh();
  expect(keys.get('a')).toBe(key);
  published = ['a', 'b'];
  expect(await keys.get('b')).toBe(key);
  expect(keys.get('b')).toBe(key);
  expect(fetches).toBe(2);
});

test('callers who come together share one fetch', async () => {
  expect(await Promise.all([keys.get('a'), keys.get('a'), keys.get('b')])).toEqual([key, key, null]);
  expect(fetches).toBe(1);
});

test('made-up keys lead to one fetch in a while', async () => {
  for (let count = 0; count < 20; count++) expect(await keys.get(`made-up-${count}`)).toBeNull();
  expect(fetches).toBe(1);
  clock += COOLDOWN;
  published = ['b'];
  expect(await keys.get('b')).toBe(key);
  expect(fetches).toBe(2);
});

test('a first key of an issuer that is down is not refused but unavailable; it is asked again soon', async () => {
  down = true;
  await keys.refresh();
  await expect(keys.get('a')).rejects.toMatchObject(unavailable);
  expect(() => keys.get('a')).toThrow(expect.objectContaining(unavailable));
  expect([fetches, failures]).toEqual([2, 2]);
  down = false;
  clock += RETRY_INTERVAL;
  expect(await keys.get('a')).toBe(key);
});

test('known keys serve on while the issuer is down', async () => {
  await keys.refresh();
  down = true;
  clock += 10 * MAX_AGE;
  expect(keys.get('a')).toBe(key);
  await settled();
  expect(keys.get('a')).toBe(key);
  await expect(keys.get('b')).rejects.toMatchObject(unavailable);
  expect(keys.get('a')).toBe(key);
});

test('keys are looked at again when they are old, behind the back of the caller; withdrawn ones go', async () => {
  await keys.refresh();
  clock += MAX_AGE - 1;
  keys.get('a');
  expect(fetches).toBe(1);
  clock += 1;
  published = ['b'];
  expect(keys.get('a')).toBe(key);
  await settled();
  expect(fetches).toBe(2);
  expect(await keys.get('a')).toBeNull();
});
