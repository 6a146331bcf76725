import { afterAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import { nativeUnavailable } from '../../../src/boxes/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';

jest.setTimeout(120_000);

const unavailable = nativeUnavailable('/usr/bin/python3');
if (unavailable !== null) process.stderr.write(`Native Python is not tested: ${unavailable}\n`);

const apps: TestApp[] = [];
afterAll(async () => {
  for (const app of apps) await app.stop();
});

async function clientWith(env: Record<string, string>): Promise<OpenAI> {
  const app = await startApp({ CODE_INTERPRETER: 'native', ...env });
  apps.push(app);
  return new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
}

/** Has the model run a cell, and gives what it wrote and the message that answers. */
async function ran(client: OpenAI, code: string, thread: string) {
  const assistant = await client.beta.assistants.create({
    model: '@mock/mock-1',
    tools: [{ type: 'code_interpreter' }],
  });
  await client.beta.threads.messages.create(thread, { role: 'user', content: `/python ${code}` });
  const run = await client.beta.threads.runs.createAndPoll(thread, { assistant_id: assistant.id });
  const steps = await client.beta.threads.runs.steps.list(run.id, { thread_id: thread, order: 'asc' });
  const [message] = (await client.beta.threads.messages.list(thread)).data;
  const call = (steps.data[0] as any)?.step_details.tool_calls?.[0]?.code_interpreter;
  return { status: run.status, logs: call?.outputs[0]?.logs as string, message };
}

describe('code of models in the Python of this machine', () => {
  (unavailable === null ? it : it.skip)(
    'runs, keeps variables in its thread, and gives files to the text',
    async () => {
      const client = await clientWith({});
      const { id } = await client.beta.threads.create();
      const first = await ran(client, 'import sys\nx = 41\nsys.implementation.name', id);
      expect(first).toMatchObject({ status: 'completed', logs: "'cpython'\n" });
      const second = await ran(
        client,
        "open('/mnt/data/sum.csv', 'w').write('a,b\\n1,2\\n')\nprint(sys.platform, x + 1)",
        id,
      );
      expect(second.logs).toBe('linux 42\n');
      const [part] = second.message?.content ?? [];
      if (part?.type !== 'text') throw new Error('The message is a text.');
      const [annotation] = part.text.annotations as { type: string; file_path: { file_id: string } }[];
      const content = await client.files.content(annotation?.file_path.file_id ?? '');
      expect(await content.text()).toBe('a,b\n1,2\n');
      const other = await client.beta.threads.create();
      expect((await ran(client, "print('x' in globals())", other.id)).logs).toBe('False\n');
    },
  );

  it('is refused where the machine has no such Python, and the tool is named', async () => {
    const client = await clientWith({ CODE_INTERPRETER_PYTHON: '/usr/bin/no-such-python' });
    const { id } = await client.beta.threads.create();
    await expect(ran(client, 'print(1)', id)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('code_interpreter'),
    });
  });
});
