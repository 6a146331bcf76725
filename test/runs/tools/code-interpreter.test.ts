import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import { type Boxes, createBoxes, createInterpreters } from '../../../src/boxes/index.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import {
  type CodeFiles,
  createCodeInterpreter,
  createContainers,
} from '../../../src/runs/tools/code-interpreter/index.ts';
import { boxesDirectory } from '../../boxes/directory.ts';
import { startAppWith, type TestApp } from '../../support/app.ts';

jest.setTimeout(120_000);

/** Files in memory: where they lie is no matter of this tool. */
const stored = new Map<string, { _id: string; filename: string; workspaceId: string; content: Buffer }>();
const shown = ({ _id, filename, content }: { _id: string; filename: string; content: Buffer }) => ({
  ...{ _id, filename, contentName: _id, bytes: content.length },
});
function add(workspaceId: string, filename: string, content: Buffer) {
  const file = { _id: `file-${stored.size + 1}`, filename, workspaceId, content };
  stored.set(file._id, file);
  return file;
}
const files: CodeFiles = {
  async find({ workspaceId }, id) {
    const found = stored.get(id);
    return found?.workspaceId === workspaceId ? shown(found) : null;
  },
  async open({ _id }) {
    const { content = Buffer.alloc(0) } = stored.get(_id) ?? {};
    return {
      bytes: content.length,
      async *read() {
        yield content;
      },
    };
  },
  async store({ owner, filename }, content) {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return shown(add(owner.workspaceId, filename, Buffer.concat(chunks)));
  },
};

const threadFiles = new Map<string, string[]>();
let boxes: Boxes;
let containers: ReturnType<typeof createContainers>;
let app: TestApp;
let client: OpenAI;
let assistantId: string;

beforeAll(async () => {
  boxes = createBoxes(boxesDirectory);
  const log = createLogger('silent');
  const interpreters = createInterpreters({ boxes, directory: boxesDirectory, keepsWarm: false, log });
  containers = createContainers({ interpreters, places: 2, now: () => new Date() });
  const tool = createCodeInterpreter({
    containers,
    files,
    threadFiles: async ({ threadId }) => threadFiles.get(threadId) ?? [],
  });
  app = await startAppWith({ hostedTools: [tool] });
  client = new OpenAI({ apiKey: app.workspaceKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  assistantId = (
    await client.beta.assistants.create({ model: '@mock/mock-1', tools: [{ type: 'code_interpreter' }] })
  ).id;
}, 120_000);

afterAll(async () => {
  await app.stop();
  await containers.stop();
  await boxes.stop();
});

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
  it('runs code, and shows what it writes', async () => {
    const { run, call, streamed, content } = await ran('print("six times seven")\n6 * 7', await newThread());
    expect(run.status).toBe('completed');
    const outputs = [{ type: 'logs', logs: 'six times seven\n42\n' }];
    expect(call).toEqual({ input: 'print("six times seven")\n6 * 7', outputs });
    expect(streamed).toMatchObject({ input: call.input, outputs });
    expect(content).toEqual([{ type: 'text', text: { value: 'six times seven\n42', annotations: [] } }]);
  });

  it('gives images to the message and the step', async () => {
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
    const file = stored.get(image.file_id);
    expect(file).toMatchObject({ filename: 'plot.png', workspaceId: app.workspaceId });
    expect(file?.content.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  });

  it('gives other files to the text that names them', async () => {
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
    expect(String(stored.get(file_path.file_id)?.content)).toBe('a,b\n1,2\n');
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
    const [mine, ours] = [Buffer.from('of the thread'), Buffer.from('of the assistant')];
    const ofThread = add(app.workspaceId, 'notes.txt', mine)._id;
    const ofAssistant = add(app.workspaceId, '../../etc/notes.txt', ours)._id;
    const strange = add('another workspace', 'secret.txt', Buffer.from('secret'))._id;
    const { id } = await client.beta.assistants.create({
      model: '@mock/mock-1',
      tools: [{ type: 'code_interpreter' }],
      tool_resources: { code_interpreter: { file_ids: [ofAssistant, strange] } },
    });
    const thread = await newThread();
    threadFiles.set(thread, [ofThread]);
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
