import { randomUUID } from 'node:crypto';
import type { Limit } from '../../src/limits/limit.ts';
import { compileLimits, SeenValues } from '../../src/limits/match/index.ts';
import { facts } from '../../test/limits/match/limits.ts';
import { startApp, type TestApp } from '../../test/support/app.ts';

const POLICIES = 10_000;
const EDITS = 10;
const FIRST_CALL_MS = 150;
const STALL_MS = 5;
const AGAIN_MICROS = 1;
/** Milliseconds of a turn below which it waits more than it works. */
const WORK_MS = 1;

/** The value below which this share of all lies. */
const share = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? 0;
const middle = (values: readonly number[]): number => share(values, 0.5);

/** Answers what was wrong. */
export async function manyPolicies(databaseUri: string): Promise<string[]> {
  const app = await startApp({ MONGODB_URI: databaseUri });
  try {
    const edited = await fill(app);
    await call(app);
    const waits: number[] = [];
    // Of the first call after each edit: milliseconds of work that it waits for. A shared machine makes more of it by the clock.
    const firsts: number[] = [];
    const turns: number[] = [];
    for (let edit = 0; edit < EDITS; edit++) {
      await put(app, edited, 1000 + edit);
      // The poll of changes notices it, and one of the next calls is the first that finds the policies anew.
      const watched = watchTurns();
      const own: { wall: number; work: number }[] = [];
      const begun = performance.now();
      while (performance.now() - begun < 1000) {
        const start = performance.now();
        const before = process.threadCpuUsage();
        await call(app);
        const { user, system } = process.threadCpuUsage(before);
        own.push({ wall: performance.now() - start, work: (user + system) / 1000 });
      }
      turns.push(...watched.end().filter((ms) => ms > WORK_MS));
      firsts.push(Math.max(...own.map(({ work }) => work)));
      waits.push(...own.map(({ wall }) => wall));
    }
    const first = middle(firsts);
    const stall = share(turns, 0.9);
    const again = await repeated();
    console.log(
      `${POLICIES} policies: a call takes ${middle(waits).toFixed(1)} ms, the longest ${share(waits, 1).toFixed(0)} ms, in which ` +
        `the gateway works for ${first.toFixed(0)} ms (${share(firsts, 1).toFixed(0)} at most); turns that work take up to ${stall.toFixed(1)} ms, with collections of ` +
        `garbage up to ${share(turns, 1).toFixed(1)} ms; a caller who comes again ${again.toFixed(2)} µs`,
    );
    return [
      ...(first > FIRST_CALL_MS
        ? [`the first call after an edit waits for ${first.toFixed(0)} ms of work`]
        : []),
      ...(stall > STALL_MS ? [`turns took ${stall.toFixed(1)} ms`] : []),
      ...(again > AGAIN_MICROS ? [`a caller who comes again costs ${again.toFixed(2)} µs`] : []),
    ];
  } finally {
    await app.stop();
  }
}

/** Ten thousand policies like the first, which is made as anybody would; answers its id. */
async function fill(app: TestApp): Promise<string> {
  const { body } = await app.rest('POST', '/v1/policies/rate-limits', {
    body: {
      ...{ name: 'One of many', type: 'requests', unit: 'rpm', value: 1000 },
      conditions: [
        { key: 'metadata.team', value: 'team-0' },
        { key: 'model', value: '@openai/*' },
      ],
      group_by: [{ key: 'metadata._user' }],
    },
  });
  const { id } = body as { id: string };
  const policies = app.db.collection<{ _id: string }>('rate_limit_policies');
  const { _id, ...first } = (await policies.findOne({ _id: id })) ?? { _id: id };
  const others = Array.from({ length: POLICIES - 1 }, (_, at) => ({
    ...first,
    _id: randomUUID(),
    conditions: [
      { key: 'metadata.team', value: `team-${at % 1700}` },
      { key: 'model', value: at % 2 === 0 ? '@openai/*' : '*' },
    ],
  }));
  await policies.insertMany(others);
  await put(app, _id, 999);
  return _id;
}

async function put(app: TestApp, id: string, value: number): Promise<void> {
  const { status } = await app.rest('PUT', `/v1/policies/rate-limits/${id}`, { body: { value } });
  if (status !== 200) throw new Error(`An edit was answered with ${status}.`);
}

async function call(app: TestApp): Promise<void> {
  const { status } = await app.rest('POST', '/v1/chat/completions', {
    key: app.workspaceKey,
    body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hello' }] },
  });
  if (status !== 200) throw new Error(`A call was answered with ${status}.`);
}

/** Milliseconds of this thread's own work in each turn of the event loop. */
function watchTurns() {
  const turns: number[] = [];
  let last = process.threadCpuUsage();
  const watch = () => {
    const { user, system } = process.threadCpuUsage(last);
    turns.push((user + system) / 1000);
    last = process.threadCpuUsage();
    timer = setImmediate(watch);
  };
  let timer = setImmediate(watch);
  return {
    end() {
      clearImmediate(timer);
      return turns;
    },
  };
}

/** Microseconds in which the limits of a caller are found who was here before: the best of several runs. */
async function repeated(): Promise<number> {
  const limits = Array.from({ length: POLICIES }, (_, at) => limitOf(at));
  const { call: index } = await compileLimits(limits, new SeenValues(() => undefined));
  if (!index) throw new Error('No limit is found.');
  const caller = facts({ model: '@openai/gpt-4o', metadata: { team: 'team-7', _user: 'alice' } });
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10; run++) {
    const begun = performance.now();
    for (let at = 0; at < 100_000; at++) index.matching(caller);
    best = Math.min(best, (performance.now() - begun) / 100);
  }
  return best;
}

const limitOf = (at: number): Limit => ({
  ...{ id: `policy:${at}`, version: 1, organisationId: 'org', workspaceId: 'ws', level: 'policy' },
  ...{ name: 'One of many', kind: 'rate', unit: 'requests', amount: 1000 },
  ...{ window: { kind: 'bucket', seconds: 60 }, enforcement: 'hard', waitMs: 0, unpriced: 'count' },
  ...{ onStoreLoss: 'local', onCrash: 'keep', onAbort: 'progress', alertThreshold: null, alertEmails: [] },
  conditions: [{ key: 'metadata.team', values: [`team-${at % 1700}`], excludes: [] }],
  ...{ groupBy: ['metadata._user'], target: 'llm' },
});
