import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Limit } from '../../../src/limits/limit.ts';
import {
  CompiledLists,
  compileLimits,
  type LimitFacts,
  type LimitStage,
  OVERFLOW,
  SeenValues,
  stageOfLimit,
} from '../../../src/limits/match/index.ts';
import { condition, facts, limit } from './limits.ts';

const stages: readonly LimitStage[] = ['arrival', 'call', 'target'];
const quiet = () => new SeenValues(() => undefined);

/** Every limit that a call comes under, whatever the stage at which it is found. */
async function matching(limits: readonly Limit[], call: LimitFacts, seen = quiet()) {
  const indexes = await compileLimits(limits, seen);
  return stages.flatMap((stage) => indexes[stage]?.matching(call) ?? []);
}

const ids = (found: readonly { limit: Limit }[]) => found.map((each) => each.limit.id).sort();

/** The rules as they read, limit by limit. */
function naive(limits: readonly Limit[], call: LimitFacts): string[] {
  const said = (key: string): string =>
    key.startsWith('metadata.') ? (call.metadata[key.slice(9)] ?? '') : String(call[key as 'model'] ?? '');
  const says = (key: string, wanted: string): boolean => {
    const value = said(key);
    if (wanted === '*' || wanted === value) return true;
    if (key !== 'model' || !/^@[^/]+\//.test(value)) return false;
    const slug = value.split('/')[0];
    return wanted === `${slug}/*` || wanted === value.slice(`${slug}/`.length);
  };
  return limits
    .filter(({ conditions }) =>
      conditions.every(
        ({ key, values, excludes }) =>
          values.some((value) => says(key, value)) && !excludes.some((value) => says(key, value)),
      ),
    )
    .map(({ id }) => id)
    .sort();
}

describe('which limits a call comes under', () => {
  it('is what the rules say, read one after another', async () => {
    const key = fc.constantFrom(
      'api_key',
      'model',
      'virtual_key',
      'metadata.team',
      'endpoint_type',
      'config',
    );
    const value = fc.constantFrom('', 'a', 'b', '@s/a', '@s/*', '@t/a/b', '@t/*', 'a/b', '*');
    const values = fc.array(value, { minLength: 1, maxLength: 3 });
    const conditions = fc.array(fc.record({ key, values, excludes: fc.array(value, { maxLength: 2 }) }), {
      maxLength: 3,
    });
    const called = fc.constantFrom('', 'a', 'b', '@s/a', '@s/b', '@t/a/b', '@s', '@/x');
    const call = fc
      .record({ api_key: called, model: called, virtual_key: called, team: called, endpoint_type: called })
      .map(({ team, ...rest }) => facts({ ...rest, metadata: team === '' ? {} : { team } }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(conditions, { maxLength: 30 }),
        fc.array(call, { minLength: 1, maxLength: 8 }),
        async (all, calls) => {
          const limits = all.map((each) => limit({ conditions: each }));
          const indexes = await compileLimits(limits, quiet());
          // Twice, so that what is remembered of a caller is the same as what was found.
          for (const each of [...calls, ...calls]) {
            const found = stages.flatMap((stage) => indexes[stage]?.matching(each) ?? []);
            expect(ids(found)).toEqual(naive(limits, each));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('holds for a call that leaves out what a wildcard is about', async () => {
    const users = limit({ conditions: [condition('metadata._user', '*')], groupBy: ['metadata._user'] });
    expect(await matching([users], facts())).toEqual([
      { limit: users, valueKey: 'metadata._user:', values: { 'metadata._user': '' } },
    ]);
  });

  it('does not take a name that every object has for metadata', async () => {
    const inherited = limit({ conditions: [condition('metadata.constructor', '')] });
    expect(ids(await matching([inherited], facts()))).toEqual([inherited.id]);
  });

  it('leaves those of MCP tools out', async () => {
    expect(await matching([limit({ target: 'mcp_tools' })], facts())).toEqual([]);
  });

  it.each<[LimitStage, Limit]>([
    ['arrival', limit()],
    ['arrival', limit({ groupBy: ['api_key'], conditions: [condition('workspace_id', 'ws')] })],
    ['call', limit({ groupBy: ['api_key', 'metadata._user'] })],
    ['call', limit({ conditions: [condition('config', 'a')] })],
    ['target', limit({ groupBy: ['metadata._user'], conditions: [condition('model', 'a')] })],
    ['target', limit({ conditions: [condition('virtual_key', 'a')] })],
  ])('can be said %s', (stage, each) => {
    expect(stageOfLimit(each)).toBe(stage);
  });
});

describe('the name of a counter', () => {
  const byTwo = limit({ groupBy: ['metadata.one', 'metadata.two'] });
  const keyOf = async (metadata: Record<string, string>) =>
    (await matching([byTwo], facts({ metadata })))[0]?.valueKey;

  it('joins the values of its groups', async () => {
    expect(await keyOf({ one: 'a', two: 'b:c' })).toBe('metadata.one:a|metadata.two:b:c');
  });

  it('is another one for other values, whatever they contain', async () => {
    const text = fc
      .array(fc.constantFrom('a', '|', '\\', ':', 'metadata.two:'), { maxLength: 4 })
      .map((all) => all.join(''));
    const pair = fc.record({ one: text, two: text });
    await fc.assert(
      fc.asyncProperty(pair, pair, async (one, other) => {
        const isSame = one.one === other.one && one.two === other.two;
        expect((await keyOf(one)) === (await keyOf(other))).toBe(isSame);
      }),
    );
  });

  it('is shared by the values beyond the most that are kept, and told once', async () => {
    const told: string[] = [];
    const seen = new SeenValues(({ id }) => told.push(id), 3);
    const byUser = limit({ groupBy: ['metadata._user'] });
    const indexes = await compileLimits([byUser], seen);
    const keys = ['a', 'b', 'c', 'd', 'e', 'a'].map(
      (_user) => indexes.call?.matching(facts({ metadata: { _user } }))[0]?.valueKey,
    );
    expect(keys).toEqual([
      ...['a', 'b', 'c'].map((user) => `metadata._user:${user}`),
      OVERFLOW,
      OVERFLOW,
      'metadata._user:a',
    ]);
    expect(told).toEqual([byUser.id]);
  });

  it('is never shared by keys, which no caller can make up', async () => {
    const byKey = limit({ groupBy: ['api_key'] });
    const indexes = await compileLimits([byKey], new SeenValues(() => undefined, 1));
    const keys = ['a', 'b'].map((api_key) => indexes.arrival?.matching(facts({ api_key }))[0]?.valueKey);
    expect(keys).toEqual(['api_key:a', 'api_key:b']);
  });
});

describe('ten thousand policies', () => {
  const limits = Array.from({ length: 10_000 }, (_, at) =>
    limit({
      conditions: [
        condition('metadata.team', `team-${at % 1700}`),
        condition('model', at % 2 === 0 ? '@openai/*' : '*'),
      ],
      groupBy: ['metadata._user'],
    }),
  );
  const caller = facts({ model: '@openai/gpt-4o', metadata: { team: 'team-7', _user: 'alice' } });

  it('are read in slices between which others have their turn', async () => {
    const turns: number[] = [];
    let last = process.threadCpuUsage();
    const watch = () => {
      const { user, system } = process.threadCpuUsage(last);
      turns.push((user + system) / 1000);
      last = process.threadCpuUsage();
      timer = setImmediate(watch);
    };
    let timer = setImmediate(watch);
    const found = await matching(limits, caller);
    clearImmediate(timer);
    expect(found).toHaveLength(6);
    expect(turns.length).toBeGreaterThan(3);
    // Milliseconds of this thread's own work. A collection of garbage may fall into any turn.
    const sorted = turns.sort((one, other) => one - other);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(6);
  });

  it('are found by what they have in common with the call', async () => {
    const { call, target } = await compileLimits(limits, quiet());
    const look = (user: string) => {
      const asked = { ...caller, metadata: { team: 'team-7', _user: user } };
      return (call?.matching(asked).length ?? 0) + (target?.matching(asked).length ?? 0);
    };
    /** Microseconds of this thread for each, in the best of several rounds. */
    const time = (users: (round: number) => readonly string[]) => {
      const rounds = Array.from({ length: 8 }, (_, round) => {
        const all = users(round);
        const start = process.threadCpuUsage();
        for (const user of all) look(user);
        const { user, system } = process.threadCpuUsage(start);
        return (user + system) / all.length;
      });
      return Math.min(...rounds);
    };
    expect(look('x')).toBe(6);
    // 6 limits at 1 to 2 each, and less than 1 for a caller who is known, in each of two indexes; with room for slow machines.
    expect(time((round) => Array.from({ length: 2000 }, (_, at) => `${round}-${at}`))).toBeLessThan(60);
    expect(time(() => Array.from({ length: 20_000 }, () => 'alice'))).toBeLessThan(4);
  });
});

describe('the indexes of a workspace whose limits change', () => {
  const indexesOf = async (lists: CompiledLists, limits: readonly Limit[]) => {
    const indexes = await lists.indexesOf(limits);
    // A promise that is done is taken out by the next who asks.
    return lists.indexesOf(limits) === indexes ? indexes : lists.indexesOf(limits);
  };

  it('find what indexes find that are made anew, after any changes', async () => {
    const value = fc.constantFrom('', 'a', 'b', '@s/a', '@s/*', '*');
    const key = fc.constantFrom('api_key', 'model', 'metadata.team', 'virtual_key', 'endpoint_type');
    const conditions = fc.array(
      fc.record({
        key,
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
        excludes: fc.array(value, { maxLength: 1 }),
      }),
      { maxLength: 3 },
    );
    const groupBy = fc.constantFrom<string[]>([], ['metadata._user'], ['api_key', 'metadata.team']);
    const change = fc.oneof(
      fc.record({ does: fc.constant('put' as const), at: fc.nat(20), conditions, groupBy }),
      fc.record({ does: fc.constant('add' as const), at: fc.nat(20), conditions, groupBy }),
      fc.record({ does: fc.constant('take' as const), at: fc.nat(20) }),
      fc.record({ does: fc.constant('turn' as const), at: fc.nat(20) }),
    );
    const called = fc.constantFrom('', 'a', '@s/a', '@t/b');
    const calls = fc.array(
      fc
        .record({ api_key: called, model: called, virtual_key: called, team: called })
        .map(({ team, ...rest }) => facts({ ...rest, metadata: { team, _user: team } })),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
        calls,
        async (edits, all) => {
          const lists = new CompiledLists(quiet(), 'llm');
          let limits: Limit[] = [limit({ id: 'policy:first' })];
          for (const edit of edits) {
            const next = [...limits];
            for (const step of edit) {
              if (step.does === 'take') next.splice(step.at % (next.length + 1), 1);
              else if (step.does === 'turn') next.reverse();
              else next.splice(step.at % (next.length + 1), step.does === 'put' ? 1 : 0, limit(step));
            }
            limits = next;
            const indexes = await indexesOf(lists, limits);
            for (const each of [...all, ...all]) {
              const found = stages.flatMap((stage) => indexes[stage]?.matching(each) ?? []);
              expect(found.map((one) => `${one.limit.id} ${one.valueKey}`).sort()).toEqual(
                (await matching(limits, each)).map((one) => `${one.limit.id} ${one.valueKey}`).sort(),
              );
              expect(ids(found)).toEqual(naive(limits, each));
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('compile the limit that was edited, and none of the thousands beside it', async () => {
    let looks = 0;
    /** A limit of which every look at its conditions is counted. */
    const watched = (team: string): Limit => {
      const conditions = [condition('metadata.team', team), condition('model', '@openai/*')];
      return Object.defineProperty(limit(), 'conditions', {
        get() {
          looks++;
          return conditions;
        },
      });
    };
    const lists = new CompiledLists(quiet(), 'llm');
    const limits = Array.from({ length: 10_000 }, (_, at) => watched(`team-${at % 1700}`));
    await indexesOf(lists, limits);
    const ofAll = looks;
    expect(ofAll).toBeGreaterThanOrEqual(limits.length);

    looks = 0;
    const edited = watched('team-new');
    const indexes = await indexesOf(lists, limits.with(777, edited));
    expect(looks).toBeLessThanOrEqual((4 * ofAll) / limits.length);
    const found = (team: string) =>
      indexes.target?.matching(facts({ model: '@openai/gpt-4o', metadata: { team } })) ?? [];
    expect(found('team-new')).toMatchObject([{ limit: { id: edited.id } }]);
    expect(ids(found('team-777'))).not.toContain(limits[777]?.id);
    expect(found('team-777')).toHaveLength(5);
  });

  it('are apart from those of other workspaces, though both have limits of one organisation', async () => {
    const lists = new CompiledLists(quiet(), 'llm');
    const shared = limit({ workspaceId: null, level: 'organisation' });
    const [one, two] = ['one', 'two'].map((workspaceId) => [shared, limit({ workspaceId })]) as [
      Limit[],
      Limit[],
    ];
    for (const list of [one, two, [shared], one, two]) {
      const indexes = await indexesOf(lists, list);
      expect(ids(indexes.arrival?.matching(facts()) ?? [])).toEqual(list.map(({ id }) => id).sort());
    }
  });
});
