import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { type ScriptedProvider, startProvider } from '../support/provider.ts';

let directory: string;
let provider: ScriptedProvider;
let sluice: SluiceProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-stop-'));
  provider = await startProvider();
});
afterAll(async () => {
  await sluice.kill('SIGKILL');
  await provider.stop();
  await rm(directory, { recursive: true, force: true });
});

async function start(env: Record<string, string>): Promise<string> {
  sluice = await startProcess(directory, { MONGODB_URI: '', ...env });
  const { workspace_api_key: key } = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
  return key;
}

const chat = (key: string, stream: boolean) =>
  fetch(`${sluice.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-gateway-provider': 'openai',
      'x-gateway-custom-host': provider.url,
    },
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'hi' }] }),
  });

const readiness = async () => {
  const response = await fetch(`${sluice.url}/readyz`);
  return { code: response.status, ...((await response.json()) as { ready: boolean; status: string }) };
};

test('after SIGTERM /readyz sends load balancers elsewhere while calls are answered; then the process ends with 0', async () => {
  const key = await start({ DRAIN_DELAY_MS: '1500' });
  expect(await readiness()).toMatchObject({ code: 200, ready: true, status: 'ok' });
  const end = sluice.kill('SIGTERM');
  await eventually(async () =>
    expect(await readiness()).toMatchObject({ code: 503, ready: false, status: 'stopping' }),
  );
  expect((await fetch(`${sluice.url}/healthz`)).status).toBe(200);
  expect((await chat(key, false)).status).toBe(200);
  expect(await end).toBe(0);
});

test('SIGINT, which comes from a person, waits for no load balancer', async () => {
  await start({ DRAIN_DELAY_MS: '600000' });
  expect(await sluice.kill('SIGINT')).toBe(0);
});

test('workers that hear a signal twice write what they have and end with 0', async () => {
  const key = await start({ WORKERS: '2' });
  provider.play((_request, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'), 500);
  });
  const answer = chat(key, false);
  await eventually(async () => expect(provider.requests).toHaveLength(1));
  // As a terminal or systemd does: every process of the group is told, and the first one tells the others again.
  for (const pid of await sluice.children()) process.kill(pid, 'SIGINT');
  const end = sluice.kill('SIGINT');
  expect((await answer).status).toBe(200);
  expect(await end).toBe(0);
});

test('a stream that is still open when time is up ends with an error event, and a call without an answer with 503', async () => {
  const key = await start({ SHUTDOWN_TIMEOUT_MS: '300' });
  provider.play(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
      );
    },
    () => undefined,
  );
  const stream = await chat(key, true);
  const silent = chat(key, false);
  await eventually(async () => expect(provider.requests).toHaveLength(2));
  const end = sluice.kill('SIGTERM');
  const events = (await stream.text()).trim().split('\n\n');
  expect(events[0]).toContain('"content":"a"');
  expect(JSON.parse((events.at(-1) ?? '').replace('data: ', ''))).toMatchObject({
    error: { message: 'This instance is stopping.', code: 'stopping' },
  });
  expect(await silent).toMatchObject({ status: 503 });
  expect(await end).toBe(0);
});
