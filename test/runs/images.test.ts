import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { json } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let client: OpenAI;
let assistantId: string;
beforeAll(async () => {
  world = await startWorld();
  client = new OpenAI({
    baseURL: `${world.app.url}/v1`,
    apiKey: world.app.workspaceKey,
    maxRetries: 0,
  });
  const model = `@${await world.makeProvider({ ai_provider_id: 'together-ai' })}/gpt-test`;
  assistantId = (await client.beta.assistants.create({ model })).id;
});
afterAll(() => world.stop());

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const upload = async (bytes: Buffer, name: string) =>
  (await client.files.create({ file: await toFile(bytes, name), purpose: 'vision' })).id;
const image = (file_id: string) => ({ type: 'image_file' as const, image_file: { file_id } });

/** What the model is sent in a run that answers these parts. */
async function sentFor(content: object[], before: () => Promise<unknown> = async () => undefined) {
  const thread = await client.beta.threads.create({
    messages: [{ role: 'user', content: content as never }],
  });
  await before();
  world.provider.play(json(400, { error: { message: 'No more is needed.' } }));
  await client.beta.threads.runs.createAndPoll(thread.id, { assistant_id: assistantId });
  return JSON.parse(String(world.provider.requests.at(-1)?.body)).messages[0].content;
}

describe('an image that is a file', () => {
  it('reaches the model with its bytes', async () => {
    const id = await upload(png, 'a.png');
    expect(await sentFor([{ type: 'text', text: 'What is this?' }, image(id)])).toEqual([
      { type: 'text', text: 'What is this?' },
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${png.toString('base64')}`, detail: 'auto' },
      },
    ]);
  });

  it('is told of where it cannot be sent', async () => {
    const text = await upload(Buffer.from('no image'), 'a.txt');
    const gone = await upload(png, 'gone.png');
    expect(await sentFor([image(text), image(gone)], () => client.files.delete(gone))).toEqual([
      { type: 'text', text: `[image ${text}: the file is no PNG, JPEG, GIF or WebP]` },
      { type: 'text', text: `[image ${gone}: the file is gone]` },
    ]);
  });

  it('has to be a file of the workspace', async () => {
    const { workspaceKey } = await world.app.createTenant();
    const stranger = new OpenAI({ baseURL: `${world.app.url}/v1`, apiKey: workspaceKey, maxRetries: 0 });
    const foreign = await stranger.files.create({ file: await toFile(png, 'b.png'), purpose: 'vision' });
    const content = [image(foreign.id)];
    await expect(client.beta.threads.create({ messages: [{ role: 'user', content }] })).rejects.toMatchObject(
      {
        status: 404,
      },
    );
    const { id } = await client.beta.threads.create({});
    await expect(client.beta.threads.messages.create(id, { role: 'user', content })).rejects.toMatchObject({
      status: 404,
    });
    expect((await client.beta.threads.messages.list(id)).data).toEqual([]);
  });
});

it('a file that is deleted leaves the lists of what code may use', async () => {
  const [kept, gone] = [await upload(Buffer.from('a'), 'a.txt'), await upload(Buffer.from('b'), 'b.txt')];
  const tool_resources = { code_interpreter: { file_ids: [kept, gone] } };
  const tools = [{ type: 'code_interpreter' as const }];
  const assistant = await client.beta.assistants.create({ model: '@mock/mock-1', tools, tool_resources });
  const thread = await client.beta.threads.create({ tool_resources });
  await client.files.delete(gone);
  const left = { tool_resources: { code_interpreter: { file_ids: [kept] } } };
  expect(await client.beta.assistants.retrieve(assistant.id)).toMatchObject(left);
  expect(await client.beta.threads.retrieve(thread.id)).toMatchObject(left);
});
