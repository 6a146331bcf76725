import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { eventually } from '../../support/eventually.ts';
import { json, type Script } from '../../support/provider.ts';
import { messages, startWorld, until, type World } from '../../support/world.ts';
import { answered, ended, exactly, limits, NONE, silent, times, USED, type Used } from './counted.ts';
import { keyWith } from './limited.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const aFile = Buffer.from('RIFF of an audio or image');

/** A form with a file, in bytes and with its content type. */
async function formOf(fields: Record<string, string>, file: string) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(file, new File([aFile], 'a.wav'));
  const made = new Response(form);
  return {
    body: Buffer.from(await made.arrayBuffer()),
    headers: { 'content-type': made.headers.get('content-type') ?? '' },
  };
}

const heard = {
  text: 'hello',
  usage: { type: 'tokens', input_tokens: 3, output_tokens: 5, total_tokens: 8 },
};
const drawn = {
  created: 1,
  data: [{ b64_json: 'AA==' }],
  usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
};
type Upload = [what: string, path: string, fields: Record<string, string>, file: string, ok: object];
const uploads: Upload[] = [
  ['a transcription', '/v1/audio/transcriptions', { model: 'gpt-4o-transcribe' }, 'file', heard],
  ['a translation', '/v1/audio/translations', { model: 'gpt-4o-transcribe' }, 'file', heard],
  ['an edit of an image', '/v1/images/edits', { model: 'gpt-image-1', prompt: 'a hat' }, 'image', drawn],
  ['a variation of an image', '/v1/images/variations', { model: 'dall-e-2' }, 'image', drawn],
  [
    'a form that is passed on',
    '/v1/proxy/audio/transcriptions',
    { model: 'gpt-4o-transcribe' },
    'file',
    heard,
  ],
];

const breaksOff: Script = (_request, answer) => {
  answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  answer.write('{"text":"');
  setTimeout(() => answer.destroy(), 20);
};
const counted = ({ requests, tokens }: Used) => expect([requests, tokens]).toEqual([1, 8]);
const isOne = ({ requests }: Used) => expect(requests).toBe(1);
const endings: [string, (ok: object) => Script, (used: Used) => void][] = [
  ['an answer', (ok) => json(200, ok), counted],
  ['a refusal', () => json(400, { error: { message: 'no' } }), exactly(NONE)],
  ['a failure', () => json(500, { error: { message: 'no' } }), exactly(NONE)],
  ['an answer that breaks off', () => breaksOff, isOne],
];

describe('nothing stays reserved after an upload', () => {
  const cases = uploads.flatMap(([what, ...upload]) =>
    endings.map(([how, ...ending]) => [`${what} with ${how}`, ...upload, ...ending] as const),
  );
  it.each(cases)('%s', async (_what, path, fields, file, ok, script, check) => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(script(ok));
    const form = await formOf(fields, file);
    const headers = { ...form.headers, 'x-gateway-provider': `@${world.slug}` };
    await world.call({ key, path, body: form.body, headers }).catch(() => undefined);
    expect(world.provider.requests).toHaveLength(1);
    await ended(world, id, check);
  });

  it.each(uploads)('%s whose caller leaves in its middle', async (_what, path, fields, file) => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(silent);
    const { body, headers } = await formOf(fields, file);
    const sending = httpRequest(`${world.app.url}${path}`, {
      method: 'POST',
      headers: {
        ...headers,
        'x-gateway-api-key': key,
        'x-gateway-provider': `@${world.slug}`,
        'content-length': String(body.length),
      },
    });
    sending.on('error', () => undefined);
    sending.write(body.subarray(0, body.length - 10));
    await once(sending, 'socket');
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
    sending.destroy();
    // Where the provider has a part of it, nobody knows what it does with that.
    await ended(world, id, ({ requests }) => expect(requests).toBeLessThanOrEqual(1));
  });

  it.each(uploads)('%s whose caller leaves before the answer', async (_what, path, fields, file) => {
    const { id, key } = await keyWith(world, limits);
    world.provider.play(silent);
    const form = await formOf(fields, file);
    const headers = { ...form.headers, 'x-gateway-provider': `@${world.slug}` };
    const leave = new AbortController();
    const gone = world.call({ key, path, body: form.body, headers, signal: leave.signal });
    await until(() => world.provider.requests.length === 1);
    leave.abort();
    await gone.catch(() => undefined);
    await ended(world, id, isOne);
  });
});

describe('nothing stays reserved after a batch', () => {
  const line = (id: string, more: object = {}) =>
    JSON.stringify({
      custom_id: id,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: `@${world.slug}/gpt-4o`, messages, ...more },
    });
  const scopes = ['completions.write', 'completions.read'];

  async function begin(client: OpenAI, lines: string[]): Promise<string> {
    const file = await toFile(Buffer.from(lines.join('\n')), 'in.jsonl');
    const { id } = await client.files.create({ file, purpose: 'batch' });
    const batch = await client.batches.create({
      input_file_id: id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    return batch.id;
  }
  const over = (client: OpenAI, id: string) =>
    eventually(async () => {
      const batch = await client.batches.retrieve(id);
      expect(['completed', 'failed', 'cancelled', 'expired']).toContain(batch.status);
      return batch;
    }, 120_000);
  const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });

  it('whose lines are answered, refused and fail', async () => {
    const { id, key } = await keyWith(world, limits, scopes);
    world.provider.play((request, response, raw) => {
      const { user } = JSON.parse(request.body.toString());
      const script =
        user === 'bad' ? json(400, { error: { message: 'no' } }) : user === 'down' ? json(500, {}) : answered;
      return script(request, response, raw);
    });
    const client = clientOf(key);
    const users = ['a', 'b', 'bad', 'c', 'down', 'd'];
    const batch = await over(
      client,
      await begin(
        client,
        users.map((user) => line(user, { user })),
      ),
    );
    expect(batch.request_counts).toEqual({ total: 6, completed: 4, failed: 2 });
    await ended(world, id, exactly(times(USED, 4)));
  });

  it('that is cancelled, of which the lines count that were begun', async () => {
    const { id, key } = await keyWith(world, limits, scopes);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.provider.play(async (request, response, raw) => {
      await promise;
      await answered(request, response, raw);
    });
    const client = clientOf(key);
    const batchId = await begin(
      client,
      Array.from({ length: 40 }, (_, at) => line(`c-${at}`)),
    );
    await eventually(async () => expect(world.provider.requests.length).toBeGreaterThan(0));
    await client.batches.cancel(batchId);
    resolve();
    const { status, request_counts } = await over(client, batchId);
    expect(status).toBe('cancelled');
    await ended(world, id, exactly(times(USED, request_counts?.completed ?? 0)));
  });

  it('whose budget ends in its middle: the other lines are refused, and say so', async () => {
    const { id, key } = await keyWith(
      world,
      { usage: [{ type: 'requests', creditLimit: 2, waitMs: 0 }] },
      scopes,
    );
    world.provider.play(answered);
    const client = clientOf(key);
    const batch = await over(
      client,
      await begin(
        client,
        ['a', 'b', 'c', 'd'].map((one) => line(one)),
      ),
    );
    expect(batch.request_counts).toEqual({ total: 4, completed: 2, failed: 2 });
    const rows = (await (await client.files.content(batch.error_file_id ?? '')).text()).trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).response.status_code)).toEqual([412, 412]);
    expect(world.provider.requests).toHaveLength(2);
    await ended(world, id, ({ requests }) => expect(requests).toBe(2));
  });
});
