import { expect, test } from '@jest/globals';
import { createLimiting } from '../../src/dataplane/limits/limiting.ts';
import { createDirectory, type DirectorySource } from '../../src/directory/memory.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { LimitEngine } from '../../src/limits/engine.ts';
import type { Limit } from '../../src/limits/limit.ts';
import type { ChangeKind } from '../../src/storage/changes.ts';
import { condition, facts, limit } from '../limits/match/limits.ts';

/** A directory of the limits in `stored`, which are made anew for each read as a database does. */
function directoryOf(stored: Map<string, Limit[]>) {
  let notify: (kind: ChangeKind) => Promise<void> = async () => undefined;
  const source = {
    limits: async (ids: string[]) =>
      new Map(ids.flatMap((id) => (stored.has(id) ? [[id, structuredClone(stored.get(id))] as const] : []))),
  } as unknown as DirectorySource;
  const directory = createDirectory(source, {
    publish: async () => undefined,
    subscribe: (listener) => {
      notify = listener;
    },
    isStale: () => false,
    start: async () => undefined,
    stop: async () => undefined,
  });
  return { directory, publish: (kind: ChangeKind) => notify(kind) };
}

const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) =>
    limit({ id: `${name}-${at}`, workspaceId: name, conditions: [condition('api_key', `key-${at}`)] }),
  );

test('a change compiles only the limits of the workspace that it is about', async () => {
  const stored = new Map([
    ['one', many(300, 'one')],
    ['two', many(300, 'two')],
  ]);
  const { directory, publish } = directoryOf(stored);
  const limiting = createLimiting({} as LimitEngine, 1000, createLogger('silent'));
  const listOf = async (id: string) => await directory.limitsOf(id);
  const indexesOf = async (id: string) => await limiting.indexesOf(await listOf(id));
  const [one, two] = [await indexesOf('one'), await indexesOf('two')];
  await publish('workspace');
  expect(await indexesOf('one')).toBe(one);
  expect(await indexesOf('two')).toBe(two);

  // The amount stays, and so does the version.
  const before = await listOf('one');
  const edited = { ...(stored.get('one')?.[7] as Limit), conditions: [condition('api_key', 'another')] };
  stored.set('one', stored.get('one')?.with(7, edited) ?? []);
  await publish('limit');
  const after = await listOf('one');
  const indexes = await indexesOf('one');
  const found = (key: string) => indexes.arrival?.matching(facts({ api_key: key })).map((each) => each.limit);
  expect(found('another')).toEqual([edited]);
  expect(found('key-7')).toEqual([]);
  expect(await indexesOf('two')).toBe(two);
  expect(after.filter((each, at) => each !== before[at])).toEqual([edited]);
});

test('a limit that came, went or stands elsewhere makes a new list', async () => {
  const stored = new Map([['one', many(3, 'one')]]);
  const { directory, publish } = directoryOf(stored);
  const [a, b, c] = await directory.limitsOf('one');
  for (const wanted of [
    [a, b],
    [b, a],
    [b, a, c],
  ]) {
    stored.set('one', wanted as Limit[]);
    await publish('limit');
    expect(await directory.limitsOf('one')).toEqual(wanted);
  }
});
