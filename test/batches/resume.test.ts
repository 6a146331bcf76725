import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { startApp } from '../support/app.ts';
import { sharedDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { chatAnswer, json, type Script } from '../support/provider.ts';
import { startWorld } from '../support/world.ts';

it('a batch whose process ends goes on in another one, and no finished line is done twice', async () => {
  const [directory, database] = [await mkdtemp(join(tmpdir(), 'sluice-batch-')), await sharedDatabase()];
  const env = {
    MONGODB_URI: database.uri,
    DATA_DIR: directory,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BATCH_CALLS_AT_ONCE: '2',
  };
  const world = await startWorld(env);
  const { provider, app } = world;
  const clientAt = (url: string) =>
    new OpenAI({ apiKey: app.workspaceKey, baseURL: `${url}/v1`, maxRetries: 0 });
  const ids = Array.from({ length: 12 }, (_, at) => `l-${at}`);
  const lines = ids.map((id) => ({
    ...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
    body: { model: `@${world.slug}/m`, messages: [{ role: 'user', content: id }] },
  }));
  const asked: string[] = [];
  const answered: string[] = [];
  const answer =
    (isBlocked: () => boolean): Script =>
    async (request, response, raw) => {
      const id = JSON.parse(request.body.toString()).messages[0].content;
      asked.push(id);
      // The first process gets five answers, and none to what it asks then.
      if (isBlocked()) return;
      answered.push(id);
      await json(200, chatAnswer(`to ${id}`))(request, response, raw);
    };
  provider.play(answer(() => answered.length >= 5));
  const first = clientAt(app.url);
  const file = await toFile(Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')), 'in.jsonl');
  const input = await first.files.create({ file, purpose: 'batch' });
  const { id } = await first.batches.create({
    input_file_id: input.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const results = app.db.collection('batch_lines');
  await eventually(async () => {
    expect(await results.countDocuments()).toBe(5);
    expect(asked).toHaveLength(7);
  });
  const finished = await results.distinct('index');
  await app.stop();

  provider.play(answer(() => false));
  const other = await startApp(env);
  try {
    const second = clientAt(other.url);
    const batch = await eventually(async () => {
      const found = await second.batches.retrieve(id);
      expect(found.status).toBe('completed');
      return found;
    });
    expect(batch.request_counts).toEqual({ total: 12, completed: 12, failed: 0 });
    const text = await (await second.files.content(batch.output_file_id ?? '')).text();
    const rows = text
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(rows.map((row) => [row.custom_id, row.response.body.choices[0].message.content])).toEqual(
      ids.map((line) => [line, `to ${line}`]),
    );
    for (const index of finished)
      expect(asked.filter((line) => line === `l-${index}`)).toEqual([`l-${index}`]);
  } finally {
    await other.stop();
    await provider.stop();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  }
});
