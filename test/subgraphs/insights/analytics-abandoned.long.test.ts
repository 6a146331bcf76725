import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Bootstrap } from '../../../seeds/bootstrap.ts';
import { eventually } from '../../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../../support/process.ts';

let directory: string;
let sluice: SluiceProcess;
let key: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-abandoned-'));
  sluice = await startProcess(directory);
  const seeds = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  key = seeds.workspace_api_key;
});
afterAll(async () => {
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

const post = (path: string, body: object, more: { headers?: object; signal?: AbortSignal } = {}) =>
  fetch(sluice.url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json', ...more.headers },
    ...(more.signal && { signal: more.signal }),
  });

/** Many readings, so that some are under way whenever the caller leaves. */
const query = `query ($min: DateTime!, $max: DateTime!) {
  ${Array.from({ length: 20 }, (_, index) => `a${index}: analytics(timeOfGenerationMin: $min, timeOfGenerationMax: $max) { metadataKeys }`).join('\n')}
}`;

it('figures that nobody waits for any more leave the process alive', async () => {
  const metadata = JSON.stringify({ _user: 'ada', team: 'search' });
  const chat = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] };
  await post('/v1/chat/completions', chat, { headers: { 'x-gateway-metadata': metadata } });
  const max = new Date(Date.now() + 60_000);
  const variables = { min: new Date(max.getTime() - 3_600_000), max };
  const keysOf = async () => {
    const { data, errors } = (await (await post('/graphql', { query, variables })).json()) as any;
    if (errors) throw new Error(JSON.stringify(errors[0]));
    return data.a0.metadataKeys;
  };
  await eventually(async () => expect(await keysOf()).toEqual(['_user', 'team']));
  for (let delay = 1; delay <= 40; delay++)
    await post('/graphql', { query, variables }, { signal: AbortSignal.timeout(delay) }).catch(() => null);
  expect(await keysOf()).toEqual(['_user', 'team']);
});
