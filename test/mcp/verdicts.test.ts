import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { json } from '../support/provider.ts';
import {
  functionItem,
  type ModelWorld,
  messageItem,
  responseOf,
  startModelWorld,
  words,
} from './model-world.ts';

jest.setTimeout(120_000);

type Json = Record<string, any>;
type Answer = { status: number; json: any };

const DAY_MS = 24 * 3_600_000;
const ENCRYPTION_KEY = randomBytes(32).toString('base64');

let world: ModelWorld;
/** Another process of the same installation. */
let other: TestApp;
let ahead = 0;
beforeAll(async () => {
  world = await startModelWorld({ ENCRYPTION_KEY }, () => new Date(Date.now() + ahead));
  other = await startApp({ ENCRYPTION_KEY, MONGODB_URI: world.app.databaseUri });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

const asking = words({ require_approval: 'always' });
const user = { role: 'user', content: 'delete it' };
const bodyWith = (input: unknown) => ({ model: 'gpt-test', input, tools: [asking] });
const ask = (input: unknown, more: Json = {}): Promise<Answer> =>
  world.ask('/v1/responses', { ...bodyWith(input), ...more });
const verdict = (id: string, approve = true) => ({
  ...{ type: 'mcp_approval_response', approval_request_id: id, approve },
});
const done = json(200, responseOf([messageItem('Done.')]));

async function askOther(input: unknown): Promise<Answer> {
  const answer = await fetch(`${other.url}/v1/responses`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': world.app.workspaceKey,
      'x-gateway-config': JSON.stringify({ provider: `@${world.slug}` }),
      'content-type': 'application/json',
    },
    body: JSON.stringify(bodyWith(input)),
  });
  return { status: answer.status, json: await answer.json() };
}

/** A conversation in which calls of `delete` wait, and ids of the requests for approval. */
async function waiting(...callIds: string[]): Promise<{ said: Json[]; ids: string[] }> {
  const calls = callIds.map((id) => functionItem(id, 'words__delete', { word: 'fox' }));
  world.provider.play(json(200, responseOf(calls)));
  const { json: answer } = await ask([user]);
  const ids = answer.output.flatMap(({ type, id }: Json) => (type === 'mcp_approval_request' ? [id] : []));
  expect(ids).toHaveLength(callIds.length);
  return { said: [user, ...answer.output], ids };
}

const refusedAt = (at: number, member = 'approval_request_id') => ({
  ...{ status: 400, json: { error: { param: `input.${at}.${member}` } } },
});

/** What reaches the MCP server meanwhile. */
async function reachedBy(work: () => Promise<void>): Promise<Json[]> {
  const before = world.reached().length;
  await work();
  return world.reached().slice(before);
}

const outputsOf = (input: Json[]): Json[] =>
  input.filter(({ type }) => type === 'function_call_output').map(({ output }) => output);

describe('a verdict counts once', () => {
  it.each([
    ['another conversation', (id: string) => [{ role: 'user', content: 'again' }, verdict(id)], 1],
    ['a conversation without what came before', (id: string) => [verdict(id)], 0],
    ['an id in another spelling', (id: string) => [{ role: 'user', content: 'again' }, verdict(`${id}=`)], 1],
    ['a refusal', (id: string) => [user, verdict(id, false)], 1],
  ])('and is refused in %s', async (_name, again, at) => {
    const { said, ids } = await waiting('call_1');
    const [id = ''] = ids;
    const reached = await reachedBy(async () => {
      world.provider.play(done);
      expect(await ask([...said, verdict(id)])).toMatchObject({ status: 200 });
      expect(await ask(again(id))).toMatchObject(refusedAt(at));
      expect(await askOther(again(id))).toMatchObject(refusedAt(at));
    });
    expect(reached).toHaveLength(1);
  });

  it('and a refusal is never an approval', async () => {
    const { said, ids } = await waiting('call_1');
    const [id = ''] = ids;
    const reached = await reachedBy(async () => {
      world.provider.play(done);
      expect(await ask([...said, verdict(id, false)])).toMatchObject({ status: 200 });
      expect(await ask([...said, verdict(id, true)])).toMatchObject(refusedAt(said.length));
      expect(await askOther([...said, verdict(id, true)])).toMatchObject(refusedAt(said.length));
    });
    expect(reached).toEqual([]);
  });

  it('at two processes that get it at once', async () => {
    const { said, ids } = await waiting('call_1');
    const input = [...said, verdict(ids[0] ?? '')];
    const answers: Answer[] = [];
    const reached = await reachedBy(async () => {
      world.provider.play(done);
      const asked = [ask(input), askOther(input), ask(input), askOther(input)];
      answers.push(...(await Promise.all(asked)));
    });
    expect(reached).toHaveLength(1);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    for (const { status, json: answer } of answers)
      if (status !== 200)
        expect({ status, answer }).toMatchObject({
          status: 409,
          answer: { error: { code: 'in_progress', param: `input.${said.length}.approval_request_id` } },
        });
  });

  it('in an input that repeats it', async () => {
    const { said, ids } = await waiting('call_1');
    const [id = ''] = ids;
    const reached = await reachedBy(async () => {
      const denied = [...said, verdict(id), verdict(id, false)];
      expect(await ask(denied)).toMatchObject(refusedAt(said.length + 1, 'approve'));
      world.provider.play(done);
      expect(await ask([...said, verdict(id), verdict(id)])).toMatchObject({ status: 200 });
    });
    expect(reached).toHaveLength(1);
    expect(outputsOf(world.sent()[0]?.input)).toEqual(['delete of fox']);
  });

  it('and one that is refused leaves those beside it as they were', async () => {
    const { said, ids } = await waiting('call_1', 'call_2');
    const [first = '', second = ''] = ids;
    const reached = await reachedBy(async () => {
      world.provider.play(done);
      await ask([...said, verdict(first)]);
      const elsewhere = [...said, verdict(second), verdict(first)];
      expect(await ask(elsewhere)).toMatchObject(refusedAt(said.length + 1));
      world.provider.play(done);
      expect(await ask([...said, verdict(second)])).toMatchObject({ status: 200 });
    });
    expect(reached).toHaveLength(2);
  });

  it('and one that another process takes meanwhile leaves those beside it as they were', async () => {
    const { said, ids } = await waiting('call_1', 'call_2');
    const [first = '', second = ''] = ids;
    const reached = await reachedBy(async () => {
      world.provider.play(done);
      await ask([...said, verdict(second)]);
      // As a process sees it that has looked before the other one wrote.
      const uses = world.app.db.collection('mcp_verdicts');
      await uses.findOneAndUpdate({}, { $set: { organisationId: 'unseen' } }, { sort: { _id: -1 } });
      const both = [...said, verdict(first), verdict(second)];
      expect(await ask(both)).toMatchObject({
        ...{ status: 409, json: { error: { param: `input.${said.length + 1}.approval_request_id` } } },
      });
      await uses.deleteMany({ organisationId: 'unseen' } as object);
      world.provider.play(done);
      expect(await ask([...said, verdict(first)])).toMatchObject({ status: 200 });
    });
    expect(reached).toHaveLength(2);
  });

  it('and a neighbour with a server of that name cannot use it', async () => {
    const { app, upstream } = world;
    const tenant = await app.createTenant();
    await serveMcp(app, 'words', { url: upstream.url, tenant });
    const { said, ids } = await waiting('call_1');
    const [id = ''] = ids;
    const reached = await reachedBy(async () => {
      const mine = await world.call({
        path: '/v1/responses',
        key: tenant.workspaceKey,
        body: { ...bodyWith([...said, verdict(id)]), model: '@mock/mock-1' },
      });
      expect(mine).toMatchObject(refusedAt(said.length));
      world.provider.play(done);
      expect(await ask([...said, verdict(id)])).toMatchObject({ status: 200 });
    });
    expect(reached).toHaveLength(1);
  });
});

describe('the same request with a verdict', () => {
  it('gets the result of the call that was made, after an answer that was lost', async () => {
    const { said, ids } = await waiting('call_1');
    const input = [...said, verdict(ids[0] ?? '')];
    const reached = await reachedBy(async () => {
      world.provider.play(json(500, { error: { message: 'down' } }));
      expect((await ask(input)).status).toBe(500);
      for (const again of [() => ask(input, { temperature: 0.5 }), () => askOther(input)]) {
        world.provider.play(done);
        const { status, json: answer } = await again();
        expect(status).toBe(200);
        expect(answer.output).toMatchObject([
          { type: 'mcp_list_tools' },
          { type: 'mcp_call', output: 'delete of fox', approval_request_id: ids[0] },
          { type: 'message' },
        ]);
        expect(outputsOf(world.sent()[0]?.input)).toEqual(['delete of fox']);
      }
    });
    expect(reached).toHaveLength(1);
  });

  it('is put off while the call is being made', async () => {
    const { said, ids } = await waiting('call_1');
    const input = [...said, verdict(ids[0] ?? '')];
    const { onMessage } = world.upstream;
    const calls: (() => void)[] = [];
    world.upstream.onMessage = ({ id, method }, response) => {
      if (method !== 'tools/call') return undefined;
      const result = { content: [{ type: 'text', text: 'late' }] };
      calls.push(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })));
      response.setHeader('content-type', 'application/json');
      return true;
    };
    world.provider.play(done);
    const first = ask(input);
    await eventually(async () => expect(calls).toHaveLength(1));
    expect(await askOther(input)).toMatchObject({ status: 409, json: { error: { code: 'in_progress' } } });
    calls[0]?.();
    expect(await first).toMatchObject({ status: 200 });
    world.provider.play(done);
    expect(await askOther(input)).toMatchObject({ status: 200 });
    expect(calls).toHaveLength(1);
    world.upstream.onMessage = onMessage;
  });

  it('gets nothing of a tool that its caller may not use any more', async () => {
    const { said, ids } = await waiting('call_1');
    const input = [...said, verdict(ids[0] ?? '')];
    world.provider.play(done);
    await ask(input);
    world.provider.play(done);
    await ask(input, { tools: [words({ allowed_tools: ['look.up'] })] });
    expect(outputsOf(world.sent()[0]?.input)).toEqual(['The tool is not available any more.']);
  });
});

it('what was refused stays in a conversation that goes on for days, and approves nothing then', async () => {
  const { said, ids } = await waiting('call_1');
  const [id = ''] = ids;
  const reached = await reachedBy(async () => {
    const refused = [...said, verdict(id, false)];
    for (const days of [0, 2]) {
      ahead = days * DAY_MS;
      world.provider.play(done);
      expect(await ask(refused)).toMatchObject({ status: 200 });
      expect(outputsOf(world.sent()[0]?.input)).toEqual(['The user did not approve the call.']);
    }
    expect(await ask([...said, verdict(id)])).toMatchObject(refusedAt(said.length));
    ahead = 0;
  });
  expect(reached).toEqual([]);
});

it('results that are kept are sealed, and end with their request', async () => {
  const { said, ids } = await waiting('call_1');
  world.provider.play(done);
  await ask([...said, verdict(ids[0] ?? '')]);
  const kept = await world.app.db.collection('mcp_verdicts').find().toArray();
  expect(kept.length).toBeGreaterThan(0);
  expect(JSON.stringify(kept)).not.toContain('delete of');
  for (const { organisationId, expiresAt } of kept) {
    expect(organisationId).toBe(world.app.organisationId);
    expect(expiresAt.getTime()).toBeLessThan(Date.now() + 2 * DAY_MS);
  }
});
