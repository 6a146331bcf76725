import { expect, it, jest } from '@jest/globals';
import { Collection } from 'mongodb';
import OpenAI from 'openai';
import type { ThreadItem } from '../../src/runs/items.ts';
import type { RunDocument } from '../../src/runs/run.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

it('a message that a process writes when others have ended its run does not stay', async () => {
  const app = await startApp();
  const { updateOne } = Collection.prototype;
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const written = Promise.withResolvers<unknown>();
  const spy = jest.spyOn(Collection.prototype, 'updateOne').mockImplementation(async function (
    this: Collection,
    ...given
  ) {
    const isItem = this.collectionName === 'thread_items';
    if (isItem) {
      held.resolve();
      await released.promise;
    }
    const result = await updateOne.apply(this, given);
    if (isItem) written.resolve(result);
    return result;
  });
  try {
    const client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const { id: assistant_id } = await client.beta.assistants.create({ model: '@mock/mock-slow-100' });
    const { id: threadId } = await client.beta.threads.create({
      messages: [{ role: 'user', content: 'one two three four five six' }],
    });
    const { id } = await client.beta.threads.runs.create(threadId, { assistant_id });
    await held.promise;
    // As a process does that finds the first one dead, once it has taken over a run that is to be cancelled.
    await app.db
      .collection<RunDocument>('runs')
      .updateOne(
        { _id: id },
        { $set: { status: 'cancelled', owner: null }, $inc: { fence: 1 }, $unset: { active: '' } },
      );
    released.resolve();
    expect(await written.promise).toMatchObject({ upsertedCount: 1 });
    const late = app.db.collection<ThreadItem>('thread_items').find({ runId: id });
    await eventually(async () => expect(await late.clone().toArray()).toEqual([]));
  } finally {
    spy.mockRestore();
    await app.stop();
  }
});
