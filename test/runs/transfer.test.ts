import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';

let app: TestApp;
let there: Tenant;
beforeAll(async () => {
  app = await startApp();
  there = await app.createTenant();
});
afterAll(() => app.stop());
beforeEach(async () => {
  there = await app.createTenant();
});

const clientOf = ({ workspaceKey: apiKey }: Tenant) =>
  new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });

type Line = Record<string, any>;
const asLines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** An administrator of a workspace. */
const adminOf = ({ workspaceKey }: Tenant) => ({ authorization: `Bearer ${workspaceKey}` });

async function exported(tenant: Tenant): Promise<Line[]> {
  const answer = await fetch(`${app.url}/v1/assistants/export`, { headers: adminOf(tenant) });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/jsonl');
  return (await answer.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function send(
  tenant: Tenant,
  body: string | Buffer,
  headers: Record<string, string> = adminOf(tenant),
) {
  const answer = await fetch(`${app.url}/v1/assistants/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/jsonl' },
    body: body as never,
  });
  return { status: answer.status, body: (await answer.json()) as any };
}
const imported = async (tenant: Tenant, lines: readonly unknown[]) =>
  (await send(tenant, asLines(lines))).body;

async function auditedIn(tenant: Tenant): Promise<unknown> {
  const query = `{ auditLogs(startTime: "2020-01-01T00:00:00Z", endTime: "2100-01-01T00:00:00Z") {
    records { resourceType action outcome } } }`;
  return (await app.graphql(query, {}, tenant.adminKey)).data.auditLogs.records;
}

const none = { assistants: 0, threads: 0, messages: 0, runs: 0, steps: 0 };
const thread: Line = {
  id: 'thread_old1',
  object: 'thread',
  created_at: 1_700_000_000,
  metadata: { person: 'ada' },
};
const message: Line = {
  id: 'msg_old1',
  object: 'thread.message',
  created_at: 1_700_000_001,
  thread_id: thread.id,
  role: 'user',
  content: [{ type: 'text', text: { value: 'Hello', annotations: [] } }],
};
/** A line with an id that no test before has stored. */
const fresh = (line: Line, more: Line = {}): Line => ({ ...line, id: `${line.id}_${count++}`, ...more });
let count = 0;

/** A workspace in which an assistant has answered with a function. */
async function spoken(tenant: Tenant) {
  const client = clientOf(tenant);
  const file = await client.files.create({
    file: await toFile(Buffer.from('Rain.'), 'a.txt'),
    purpose: 'assistants',
  });
  const assistant = await client.beta.assistants.create({
    model: '@mock/mock-1',
    name: 'Weather',
    tools: [{ type: 'function', function: { name: 'look' } }, { type: 'file_search' }],
  });
  const { id } = await client.beta.threads.create({
    metadata: { person: 'ada' },
    messages: [
      { role: 'user', content: 'Before' },
      {
        role: 'user',
        content: '/tool Will it rain?',
        attachments: [{ file_id: file.id, tools: [{ type: 'file_search' }] }],
      },
    ],
  });
  const run = await client.beta.threads.runs.createAndPoll(id, { assistant_id: assistant.id });
  const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
  await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, {
    thread_id: id,
    tool_outputs: [{ tool_call_id: call?.id ?? '', output: 'It rains.' }],
  });
  return { thread: id, assistant: assistant.id, run: run.id, file: file.id };
}

describe('an export', () => {
  it('has all that a workspace has, each object as the API shows it, and nothing of others', async () => {
    const made = await spoken(there);
    await spoken(await app.createTenant());
    const lines = await exported(there);
    expect(lines.map(({ object }) => object)).toEqual([
      ...['file', 'assistant', 'thread'],
      ...['thread.message', 'thread.message', 'thread.message', 'thread.run'],
      ...['thread.run.step', 'thread.run.step'],
    ]);
    const client = clientOf(there);
    const shown = JSON.parse(JSON.stringify(await client.beta.assistants.retrieve(made.assistant)));
    expect(lines[1]).toEqual(shown);
    expect(lines[4]?.attachments).toEqual([{ file_id: made.file, tools: [{ type: 'file_search' }] }]);
    const steps = await client.beta.threads.runs.steps.list(made.run, {
      thread_id: made.thread,
      order: 'asc',
    });
    for (const [at, step] of steps.data.entries())
      expect(lines[7 + at]).toMatchObject(JSON.parse(JSON.stringify(step)));
  });
  it('needs an administrator of one workspace, and is in the audit trail', async () => {
    const path = `${app.url}/v1/assistants/export`;
    const ask = async (headers: Record<string, string>) => (await fetch(path, { headers })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: `Bearer ${there.adminKey}` })).toBe(403);
    await exported(there);
    expect(await auditedIn(there)).toContainEqual({
      resourceType: 'assistant',
      action: 'export',
      outcome: 'success',
    });
  });
});

describe('an import', () => {
  it('keeps ids, order and all that is shown, so that a run goes on where another installation ended', async () => {
    const made = await spoken(app);
    const lines = (await exported(app)).filter(
      (line) => JSON.stringify(line).includes(made.thread) || line.id === made.assistant,
    );
    const client = clientOf(app);
    await client.beta.threads.delete(made.thread);
    await client.beta.assistants.delete(made.assistant);
    const outcome = await imported(there, lines);
    expect(outcome).toEqual({
      object: 'assistants.import',
      lines: 8,
      created: { assistants: 1, threads: 1, messages: 3, runs: 1, steps: 2 },
      existing: none,
      ...{ skipped: 0, refused: 0, problems: [] },
    });
    const after = (await exported(there)).map(({ created_at: _second, ...line }) => line);
    expect(after).toEqual(lines.map(({ created_at: _second, ...line }) => line));
    const moved = clientOf(there);
    const run = await moved.beta.threads.runs.createAndPoll(made.thread, {
      assistant_id: made.assistant,
      tools: [],
      additional_messages: [{ role: 'user', content: 'And tomorrow?' }],
    });
    expect(run.status).toBe('completed');
    await app.logged();
    const logs = await app.graphql('{ logHistory(limit: 1) { data { id } } }', {}, there.workspaceKey);
    const log = await app.graphql(
      'query ($id: ID!) { log(id: $id) { request { body } } }',
      { id: logs.data.logHistory.data[0].id },
      there.workspaceKey,
    );
    const asked = JSON.stringify(log.data.log.request.body);
    const places = ['Before', '/tool Will it rain?', 'It rains.', 'And tomorrow?'].map((word) =>
      asked.indexOf(word),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    const versions = await app.graphql(
      'query ($id: ID!) { assistantVersions(assistantId: $id) { data { version } } }',
      { id: made.assistant },
      there.workspaceKey,
    );
    expect(versions.data.assistantVersions.data).toEqual([{ version: 1 }]);
  });

  it('changes nothing when the same lines come again, and leaves what is there as it is', async () => {
    const lines = [fresh(thread)];
    lines.push(fresh(message, { thread_id: lines[0]?.id }));
    await imported(there, lines);
    const before = await exported(there);
    const changed = lines.map((line) => ({ ...line, metadata: { person: 'eve' } }));
    for (const again of [lines, changed])
      expect(await imported(there, again)).toMatchObject({
        created: none,
        existing: { ...none, threads: 1, messages: 1 },
        refused: 0,
      });
    expect(await exported(there)).toEqual(before);
  });

  it('keeps the order of lines of one second', async () => {
    const made = fresh(thread);
    const messages = ['zz', 'mm', 'aa', 'qq'].map((word) =>
      fresh(message, {
        id: `msg_${word}${count++}`,
        thread_id: made.id,
        content: [{ type: 'text', text: { value: word, annotations: [] } }],
      }),
    );
    await imported(there, [made, ...messages]);
    const { data } = await clientOf(there).beta.threads.messages.list(made.id, { order: 'asc' });
    expect(data.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
  });

  it('refuses lines by number and field, and takes the others', async () => {
    const made = fresh(thread);
    const [sound, unsound] = [fresh(message, { thread_id: made.id }), fresh(message, { thread_id: made.id })];
    const run: Line = {
      ...{ id: 'run_r', object: 'thread.run', created_at: 1_700_000_000, thread_id: made.id },
      ...{ assistant_id: 'asst_gone', status: 'in_progress', model: 'gpt-4o' },
    };
    const text = asLines([
      made,
      { ...unsound, role: 'system' },
      { ...unsound, thread_id: 'thread_nowhere' },
      { ...unsound, id: 'nonsense' },
      { ...unsound, content: [{ type: 'text', text: { value: 1 } }] },
      { ...unsound, metadata: { long: 'x'.repeat(513) } },
      { ...unsound, created_at: 'yesterday' },
      run,
      {
        object: 'thread.run.step',
        id: 'step_1',
        created_at: 1,
        thread_id: made.id,
        run_id: 'run_r',
        status: 'completed',
        step_details: { type: 'tool_calls', tool_calls: [] },
      },
      { object: 'vector_store', id: 'vs_1' },
      { object: 'file', id: 'file-1' },
    ]);
    const { body } = await send(there, `${text}no json\n[1]\n\n${asLines([sound])}`);
    expect(body.problems.map(({ line, field }: any) => [line, field])).toEqual([
      [2, 'role'],
      [3, 'thread_id'],
      [4, 'id'],
      [5, 'content[0].text.value'],
      [6, 'metadata.long'],
      [7, 'created_at'],
      [8, 'status'],
      [9, 'run_id'],
      [10, 'object'],
      [12, null],
      [13, null],
    ]);
    expect(body).toMatchObject({ lines: 14, refused: 11, skipped: 1 });
    expect(body.created).toEqual({ ...none, threads: 1, messages: 1 });
    const { data } = await clientOf(there).beta.threads.messages.list(made.id);
    expect(data.map(({ id }) => id)).toEqual([sound.id]);
  });

  it('refuses bytes that are no text, and a line that is too long, and goes on behind them', async () => {
    const made = fresh(thread);
    const long = Buffer.alloc(9 * 1024 * 1024, 'x');
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfe, 10]),
      long,
      Buffer.from('\n'),
      Buffer.from(asLines([made])),
    ]);
    const { body } = await send(there, bytes);
    expect(body.problems.map(({ line, message: said }: any) => [line, said])).toEqual([
      [1, 'The line is not UTF-8.'],
      [2, 'The line has more than 8388608 bytes.'],
    ]);
    expect(body.created.threads).toBe(1);
  });

  it('refuses an id of another tenant as it refuses one without form, and changes nothing there', async () => {
    const other = await app.createTenant();
    const made = [fresh(thread)];
    made.push(fresh(message, { thread_id: made[0]?.id }));
    await imported(other, made);
    const before = await exported(other);
    const own = fresh(thread);
    const outcome = await imported(there, [
      own,
      { ...made[0], metadata: {} },
      { ...own, id: 'thread_!' },
      fresh(message, { thread_id: made[0]?.id }),
      fresh(message, { thread_id: 'thread_nowhere' }),
      { ...made[1], thread_id: own.id },
    ]);
    const [foreign, formless, onForeign, onNowhere, foreignMessage] = outcome.problems;
    expect(outcome.refused).toBe(5);
    expect({ ...foreign, line: 0 }).toEqual({ ...formless, line: 0 });
    expect({ ...onForeign, line: 0 }).toEqual({ ...onNowhere, line: 0 });
    expect(foreignMessage.field).toBe('id');
    expect(await exported(other)).toEqual(before);
  });

  it('refuses what would change a thread that a run answers now', async () => {
    const client = clientOf(there);
    const assistant = await client.beta.assistants.create({ model: '@mock/mock-slow-200' });
    const run = await client.beta.threads.createAndRun({
      assistant_id: assistant.id,
      thread: { messages: [{ role: 'user', content: 'one two three four five six seven eight' }] },
    });
    const outcome = await imported(there, [fresh(message, { thread_id: run.thread_id })]);
    expect(outcome).toMatchObject({ refused: 1, problems: [{ line: 1, field: 'thread_id' }] });
    await client.beta.threads.runs.cancel(run.id, { thread_id: run.thread_id });
  });

  it('adds no step to a run that was made here', async () => {
    const made = await spoken(there);
    const step = (await exported(there)).at(-1);
    const outcome = await imported(there, [{ ...step, id: 'step_other' }, step]);
    expect(outcome).toMatchObject({
      refused: 1,
      existing: { steps: 1 },
      problems: [{ line: 1, field: 'run_id' }],
    });
    expect(made.run).toBe(step?.run_id);
  });

  it('needs an administrator of one workspace, and changes nothing without', async () => {
    const body = asLines([fresh(thread)]);
    expect((await send(there, body, {})).status).toBe(401);
    expect((await send(there, body, { authorization: `Bearer ${there.adminKey}` })).status).toBe(403);
    expect(await exported(there)).toEqual([]);
    await send(there, body);
    expect(await auditedIn(there)).toContainEqual({
      resourceType: 'assistant',
      action: 'import',
      outcome: 'success',
    });
  });

  it('stores a thousand messages of a body that comes in pieces, cut anywhere', async () => {
    const made = fresh(thread);
    const messages = Array.from({ length: 1000 }, (_none, at) =>
      fresh(message, {
        thread_id: made.id,
        created_at: 1_700_000_000 + at,
        content: [{ type: 'text', text: { value: 'Grüße 🌧', annotations: [] } }],
      }),
    );
    const bytes = Buffer.from(asLines([made, ...messages]));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 777) }, (_none, at) =>
      bytes.subarray(at * 777, (at + 1) * 777),
    );
    const answer = await fetch(`${app.url}/v1/assistants/import`, {
      method: 'POST',
      headers: adminOf(there),
      body: Readable.toWeb(Readable.from(pieces)) as never,
      duplex: 'half',
    } as RequestInit);
    expect(((await answer.json()) as any).created.messages).toBe(1000);
    const texts = (await exported(there)).slice(1).map(({ content }) => content[0].text.value);
    expect(new Set(texts)).toEqual(new Set(['Grüße 🌧']));
  });
});
