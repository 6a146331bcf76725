import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  createDirectory,
  type Directory,
  type DirectorySource,
  type KeyRecord,
} from '../../src/directory/memory.ts';
import type { ChangeKind } from '../../src/storage/changes.ts';

/** Keys as the database has them: a name for each hash. Reads can be held and made to fail. */
let stored: Map<string, string>;
let reads: string[][];
let down: boolean;
/** Reads wait for these, one each, after they have seen the database. */
let gates: Promise<void>[];
let directory: Directory;
let publish: (kind: ChangeKind) => Promise<void>;

const record = (name: string) => ({ principal: { name } }) as KeyRecord;
const nothing = async () => new Map();

beforeEach(() => {
  stored = new Map([['a', 'Ada']]);
  reads = [];
  down = false;
  gates = [];
  const source: DirectorySource = {
    providers: nothing,
    configs: nothing,
    catalogues: nothing,
    accounts: nothing,
    workspaces: nothing,
    users: nothing,
    signIns: nothing,
    limits: nothing,
    guardrails: nothing,
    enforcedGuardrails: nothing,
    async keys(ids) {
      reads.push(ids);
      if (down) throw new Error('The database is down.');
      const seen = new Map(
        ids.flatMap((id) => (stored.has(id) ? [[id, record(stored.get(id) ?? '')] as const] : [])),
      );
      await gates.shift();
      return seen;
    },
  };
  let notify: (kind: ChangeKind) => Promise<void> = async () => {};
  directory = createDirectory(source, {
    publish: async () => {},
    subscribe: (listener) => {
      notify = listener;
    },
    isStale: () => false,
    start: async () => {},
    stop: async () => {},
  });
  publish = (kind) => notify(kind);
});

/** A gate for the next read, and its key. */
function gate(): () => void {
  let open: () => void = () => {};
  gates.push(
    new Promise((resolve) => {
      open = resolve;
    }),
  );
  return open;
}

const name = async (id: string) => (await directory.keys.get(id))?.principal.name ?? null;

describe('memory', () => {
  test('a first sight is read, a second one comes at once', async () => {
    expect(directory.keys.get('a')).toBeInstanceOf(Promise);
    expect(await name('a')).toBe('Ada');
    expect(directory.keys.get('a')).toEqual(record('Ada'));
    expect(reads).toEqual([['a']]);
  });

  test('what does not exist is remembered too', async () => {
    expect(await name('b')).toBeNull();
    expect(directory.keys.get('b')).toBeNull();
    expect(reads).toEqual([['b']]);
  });

  test('many at once share one read', async () => {
    const names = await Promise.all(Array.from({ length: 50 }, () => name('a')));
    expect(new Set(names)).toEqual(new Set(['Ada']));
    expect(reads).toHaveLength(1);
  });
});

describe('changes', () => {
  test('act as soon as they are published: changed, deleted, made', async () => {
    stored.set('b', 'Bob');
    expect([await name('a'), await name('b'), await name('c')]).toEqual(['Ada', 'Bob', null]);
    stored = new Map([
      ['a', 'Alan'],
      ['c', 'Cleo'],
    ]);
    await publish('api_key');
    expect([await name('a'), await name('b'), await name('c')]).toEqual(['Alan', null, 'Cleo']);
  });

  test('of another kind cost no read', async () => {
    await name('a');
    await publish('config');
    expect(reads).toHaveLength(1);
  });

  test('are read in batches', async () => {
    for (let index = 0; index < 1200; index++) stored.set(`k${index}`, 'x');
    for (const id of stored.keys()) await name(id);
    reads = [];
    await publish('api_key');
    expect(reads.map((ids) => ids.length)).toEqual([500, 500, 201]);
  });

  test('a first sight that was read before a change is answered, not kept', async () => {
    const open = gate();
    const early = name('a');
    stored.set('a', 'Alan');
    await publish('api_key');
    open();
    expect(await early).toBe('Ada');
    expect(await name('a')).toBe('Alan');
  });

  test('nobody joins a read that began before a change', async () => {
    const open = gate();
    const early = name('a');
    stored.delete('a');
    await publish('api_key');
    expect(await name('a')).toBeNull();
    open();
    await early;
    expect(await name('a')).toBeNull();
  });

  test('an earlier refresh that comes back late does not bring a deleted key back', async () => {
    await name('a');
    const open = gate();
    const first = publish('api_key');
    await Promise.resolve();
    stored.delete('a');
    const second = publish('api_key');
    await new Promise((resolve) => setImmediate(resolve));
    open();
    await Promise.all([first, second]);
    expect(await name('a')).toBeNull();
  });
});

describe('a database that is down', () => {
  test('leaves what is known in place', async () => {
    await name('a');
    down = true;
    await expect(publish('api_key')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await name('a')).toBe('Ada');
  });

  test('is said to be, for what is not known, and asked again the next time', async () => {
    down = true;
    await expect(name('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', entry: { status: 503 } });
    down = false;
    expect(await name('a')).toBe('Ada');
  });

  test('does not stop later changes', async () => {
    await name('a');
    down = true;
    await publish('api_key').catch(() => {});
    down = false;
    stored.set('a', 'Alan');
    await publish('api_key');
    expect(await name('a')).toBe('Alan');
  });
});
