import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { Bootstrap } from '../../../seeds/bootstrap.ts';
import { findEmbedded } from '../../../src/storage/embedded/index.ts';
import { eventually } from '../../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../../support/process.ts';
import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';

let directory: string;
let provider: ScriptedProvider;
let sluice: SluiceProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-killed-'));
  provider = await startProvider();
  sluice = await startProcess(directory);
}, 120_000);
afterAll(async () => {
  await sluice.kill('SIGTERM');
  await provider.stop();
  await rm(directory, { recursive: true, force: true });
});

async function post(key: string, path: string, body: object): Promise<any> {
  const headers = { 'x-gateway-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${sluice.url}/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(value)}`);
  return value;
}

async function counter(): Promise<any> {
  const client = await MongoClient.connect((await findEmbedded(join(directory, 'store'))) ?? '');
  try {
    return await client.db().collection('limit_counters').findOne({});
  } finally {
    await client.close();
  }
}

test('the start after a kill gives back what the process had leased and its calls can not have used', async () => {
  const seeds: Bootstrap = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
  const key = seeds.workspace_api_key;
  await post(seeds.admin_api_key, '/integrations', {
    name: 'Loopback',
    slug: 'loopback',
    ai_provider_id: 'openai',
    key: 'sk-loopback',
    configurations: { custom_host: provider.url },
    workspace_id: seeds.workspace_id,
  });
  await post(key, '/policies/usage-limits', {
    conditions: [{ key: 'model', value: '@loopback/*' }],
    group_by: [{ key: 'workspace_id' }],
    type: 'cost',
    credit_limit: 1,
  });
  const chat = () =>
    post(key, '/chat/completions', {
      model: '@loopback/gpt-4o',
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'hello' }],
    });
  provider.play(json(200, chatAnswer('hello')), () => undefined);
  await chat();
  // What the call came to is known to the store once it is reported.
  await eventually(async () => expect(await counter()).toMatchObject({ fill: 57_500 }));
  const unanswered = chat().catch((error: unknown) => error);
  await eventually(async () => expect(provider.requests).toHaveLength(2));
  expect(Object.keys((await counter()).L)).toHaveLength(1);

  await sluice.kill('SIGKILL');
  expect(await unanswered).toBeInstanceOf(Error);
  sluice = await startProcess(directory);
  const { fill, room, cap, uncertain } = await eventually(async () => {
    const found = await counter();
    expect(found.L).toEqual({});
    return found;
  });
  expect(cap).toBe(1_000_000_000);
  // A thousand tokens of the answer at least, which nobody can know.
  expect(uncertain).toBeGreaterThanOrEqual(10_000_000);
  expect(uncertain).toBeLessThan(20_000_000);
  expect(fill).toBe(57_500 + uncertain);
  expect(room).toBe(cap - fill);
}, 120_000);
