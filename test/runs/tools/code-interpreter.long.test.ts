import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { boxesDirectory } from '../../boxes/directory.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { majors } from '../majors.ts';

jest.setTimeout(120_000);

const directory = mkdtempSync(join(tmpdir(), 'sluice-code-'));
let app: TestApp;
let client: OpenAI;
let assistantId: string;

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });

beforeAll(async () => {
  mkdirSync(boxesDirectory, { recursive: true });
  symlinkSync(boxesDirectory, join(directory, 'boxes'));
  app = await startApp({ DATA_DIR: directory, CODE_INTERPRETER_BOXES: '2', CODE_INTERPRETER_WARM: 'false' });
  client = clientOf(app.workspaceKey);
  assistantId = (
    await client.beta.assistants.create({ model: '@mock/mock-1', tools: [{ type: 'code_interpreter' }] })
  ).id;
}, 120_000);

afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true });
});

const upload = async (by: OpenAI, name: string, content: string) =>
  (await by.files.create({ file: await toFile(Buffer.from(content), name), purpose: 'assistants' })).id;

const contentOf = async (id: string) => Buffer.from(await (await client.files.content(id)).arrayBuffer());

const newThread = async () => (await client.beta.threads.create()).id;

/** Has the model run a cell in a thread. */
async function ran(code: string, threadId: string, assistant = assistantId) {
  await client.beta.threads.messages.create(threadId, { role: 'user', content: `/python ${code}` });
  const stream = client.beta.threads.runs.stream(threadId, { assistant_id: assistant });
  const run = await stream.finalRun();
  const [streamed] = await stream.finalRunSteps();
  const { data } = await client.beta.threads.runs.steps.list(run.id, { thread_id: threadId, order: 'asc' });
  const [message] = (await client.beta.threads.messages.list(threadId)).data;
  const callIn = (step: unknown) => (step as any)?.step_details.tool_calls?.[0]?.code_interpreter;
  return { run, call: callIn(data[0]), streamed: callIn(streamed), content: message?.content ?? [] };
}

const logsOf = ({ call }: Awaited<ReturnType<typeof ran>>): string => call.outputs[0].logs;

const png = `
import struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
rows = b''.join(b'\\x00' + bytes([x, 0, 0] * 8) for x in range(8))
image = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 8, 8, 8, 2, 0, 0, 0))
image += chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
open('/mnt/data/plot.png', 'wb').write(image)
print('drawn')`;

describe('code_interpreter', () => {
  it('C31: runs code, and shows what it writes', async () => {
    const { run, call, streamed, content } = await ran('print("six times seven")\n6 * 7', await newThread());
    expect(run.status).toBe('completed');
    const outputs = [{ type: 'logs', logs: 'six times seven\n42\n' }];
    expect(call).toEqual({ input: 'print("six times seven")\n6 * 7', outputs });
    expect(streamed).toMatchObject({ input: call.input, outputs });
    expect(content).toEqual([{ type: 'text', text: { value: 'six times seven\n42', annotations: [] } }]);
  });

  it('C31: gives images to the message and the step', async () => {
    const { call, streamed, content } = await ran(png, await newThread());
    const [, { image }] = call.outputs;
    expect(call.outputs).toEqual([
      { type: 'logs', logs: 'drawn\n' },
      { type: 'image', image: { file_id: expect.stringMatching(/^file-/) } },
    ]);
    expect(streamed.outputs).toMatchObject(call.outputs);
    expect(content[0]).toEqual({
      type: 'image_file',
      image_file: { file_id: image.file_id, detail: 'auto' },
    });
    expect(await client.files.retrieve(image.file_id)).toMatchObject({
      filename: 'plot.png',
      purpose: 'assistants_output',
    });
    expect((await contentOf(image.file_id)).subarray(0, 8)).toEqual(
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    );
  });

  it('C31: gives other files to the text that names them', async () => {
    const code = `open('/mnt/data/sum.csv', 'w').write('a,b\\n1,2\\n')\nprint('🌍')`;
    const { call, content } = await ran(code, await newThread());
    expect(call.outputs).toHaveLength(1);
    const [part] = content;
    if (part?.type !== 'text') throw new Error('The message is a text.');
    const [annotation] = part.text.annotations;
    if (annotation?.type !== 'file_path') throw new Error('The text names a file.');
    const { start_index: start, end_index: end, text, file_path } = annotation;
    expect([...part.text.value].slice(start, end).join('')).toBe('sandbox:/mnt/data/sum.csv');
    expect(text).toBe('sandbox:/mnt/data/sum.csv');
    expect(String(await contentOf(file_path.file_id))).toBe('a,b\n1,2\n');
  });

  const sdks = majors(() => ({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1` }));
  it.each(Object.entries(sdks))('C31: with %s, a run reads a file and writes another', async (_name, sdk) => {
    const own = sdk.client();
    const file = new File(['1\n2\n39\n'], 'numbers.csv');
    const { id: numbers } = await own.files.create({ file, purpose: 'assistants' });
    const assistant = await own.beta.assistants.create({
      ...{ model: '@mock/mock-1', tools: [{ type: 'code_interpreter' }] },
      tool_resources: { code_interpreter: { file_ids: [numbers] } },
    });
    const code = `total = sum(int(line) for line in open('/mnt/data/numbers.csv'))
open('/mnt/data/total.txt', 'w').write(str(total))
print(total)`;
    const { id } = await own.beta.threads.create({
      messages: [{ role: 'user', content: `/python ${code}` }],
    });
    const run = await own.beta.threads.runs.createAndPoll(id, { assistant_id: assistant.id });
    expect([run.status, run.last_error]).toEqual(['completed', null]);
    const { data: steps } = await own.beta.threads.runs.steps.list(...sdk.named(id, run.id));
    const step = steps.find(({ type }: { type: string }) => type === 'tool_calls');
    expect(step.step_details.tool_calls[0].code_interpreter).toEqual({
      ...{ input: code, outputs: [{ type: 'logs', logs: '42\n' }] },
    });
    const { data } = await own.beta.threads.messages.list(id);
    const [annotation] = data[0].content[0].text.annotations;
    const written = await own.files.content(annotation.file_path.file_id);
    expect(await written.text()).toBe('42');
  });

  it('shows errors as logs, and the run goes on', async () => {
    const failed = await ran('x = 1\nx / 0', await newThread());
    expect(failed.run.status).toBe('completed');
    expect(logsOf(failed)).toMatch(
      /^Traceback .*\n {2}File "<cell>", line 2, in <module>\n {4}x \/ 0\n.*\nZeroDivisionError: /,
    );
    expect(logsOf(await ran('def', await newThread()))).toMatch(/SyntaxError/);
    expect(logsOf(await ran('import numpy', await newThread()))).toMatch(/No module named 'numpy'/);
  });

  it('keeps variables and files in a thread, and shows them to no other one', async () => {
    const [first, second] = [await newThread(), await newThread()];
    await ran("x = 41\nopen('/mnt/data/own', 'w').write('mine')", first);
    expect(logsOf(await ran("x + 1, open('/mnt/data/own').read()", first))).toBe("(42, 'mine')\n");
    expect(logsOf(await ran("import os\n'x' in globals(), os.listdir('/mnt/data')", second))).toBe(
      '(False, [])\n',
    );
  });

  it('says that variables are gone where a container had to make room', async () => {
    const threads = [await newThread(), await newThread(), await newThread()];
    for (const thread of threads) await ran('kept = True', thread);
    expect(logsOf(await ran("print('kept' in globals())", threads[0] ?? ''))).toBe(
      'The container was restarted; variables are gone.\nFalse\n',
    );
  });

  it('reads the files of the assistant and of the thread, and none of another workspace', async () => {
    const ofThread = await upload(client, 'notes.txt', 'of the thread');
    const ofAssistant = await upload(client, 'notes.txt', 'of the assistant');
    const strange = await upload(clientOf((await app.createTenant()).workspaceKey), 'secret.txt', 'secret');
    const resources = (...ids: string[]) => ({ tool_resources: { code_interpreter: { file_ids: ids } } });
    const make = (...ids: string[]) =>
      client.beta.assistants.create({
        model: '@mock/mock-1',
        tools: [{ type: 'code_interpreter' }],
        ...resources(...ids),
      });
    await expect(make(ofAssistant, strange)).rejects.toThrow(`404 No file found with id '${strange}'.`);
    const { id } = await make(ofAssistant);
    const { id: thread } = await client.beta.threads.create(resources(ofThread));
    const listing = `import os\nfor name in sorted(os.listdir('/mnt/data')): print(name, open('/mnt/data/' + name).read())`;
    const run = await ran(listing, thread, id);
    expect(logsOf(run)).toBe(`${ofThread}-notes.txt of the thread\nnotes.txt of the assistant\n`);
    expect(run.content).toHaveLength(1);
    expect(run.call.outputs).toHaveLength(1);
  });

  it('keeps at most 256 kB of what code writes', async () => {
    const { call, run } = await ran("print('x' * 300_000)", await newThread());
    expect(call.outputs[0].logs).toBe('x'.repeat(256 * 1024));
    expect(run.status).toBe('completed');
  });

  it('ends code whose run is cancelled, and the thread can be used again', async () => {
    const thread = await newThread();
    await client.beta.threads.messages.create(thread, { role: 'user', content: '/python while True: pass' });
    const stream = client.beta.threads.runs.stream(thread, { assistant_id: assistantId });
    let runId = '';
    for await (const { event, data } of stream) {
      if (event === 'thread.run.created') runId = data.id;
      if (event !== 'thread.run.step.delta' || runId === '') continue;
      await client.beta.threads.runs.cancel(runId, { thread_id: thread });
      runId = '';
    }
    expect((await stream.finalRun()).status).toBe('cancelled');
    expect(logsOf(await ran('1 + 1', thread))).toMatch(/2\n$/);
  });
});

describe('where code_interpreter is off', () => {
  it('a run with it is refused, and named', async () => {
    const other = await startApp({ CODE_INTERPRETER: 'off' });
    const refused = new OpenAI({ apiKey: other.workspaceKey, baseURL: `${other.url}/v1`, maxRetries: 0 });
    const { id } = await refused.beta.assistants.create({
      model: '@mock/mock-1',
      tools: [{ type: 'code_interpreter' }],
    });
    await expect(refused.beta.threads.createAndRun({ assistant_id: id })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('code_interpreter is not available here'),
    });
    await other.stop();
  });
});
