// Sends a file of 512 MB, one that breaks off and one for which the disk has no room to a service of its own, and kills it while
// it works on a batch. Shows that memory stays flat, that what was stored is still there, that a broken upload leaves nothing,
// and that no finished line of the batch is called twice.
//
// The disk is a small file system in memory where this user may mount one; without it the full disk is left out.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SluiceProcess, startProcess } from '../test/support/process.ts';
import { chatAnswer, json, type Script, startProvider } from '../test/support/provider.ts';
import { ensureMountable, mountDisk } from './prove-full-disk/disk.ts';

const MB = 1024 * 1024;
const FILE_BYTES = 512 * MB;
/** What the process may grow by while it stores the file. */
const MOST_GROWTH = 160 * MB;
const DISK_MB = 256;
const EDGE = 'edge-of-the-form';

type Caller = { url: string; key: string };
const findings: string[] = [];
const expect = (holds: boolean, what: string) => {
  console.log(`${holds ? 'yes' : 'NO '}  ${what}`);
  if (!holds) findings.push(what);
};

const head = `--${EDGE}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nassistants\r\n--${EDGE}\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const tail = `\r\n--${EDGE}--\r\n`;

/** Sends a form over a socket of its own; answers status and body, null where the connection was cut by us. */
async function upload(
  { url, key }: Caller,
  bytes: number,
  {
    hash,
    breaksAfter = Number.POSITIVE_INFINITY,
  }: { hash?: ReturnType<typeof createHash>; breaksAfter?: number } = {},
): Promise<{ status: number; body: { id: string; bytes: number } } | null> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  const length = head.length + bytes + tail.length;
  socket.write(
    `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n` +
      `content-type: multipart/form-data; boundary=${EDGE}\r\ncontent-length: ${length}\r\n\r\n${head}`,
  );
  const block = randomBytes(MB);
  for (let sent = 0; sent < bytes && answer === '' && !socket.destroyed; sent += block.length) {
    if (sent >= breaksAfter) {
      socket.destroy();
      return null;
    }
    block.writeUInt32LE(sent / MB, 0);
    const piece = Buffer.from(block.subarray(0, Math.min(block.length, bytes - sent)));
    hash?.update(piece);
    if (!socket.write(piece)) await drained(socket);
  }
  if (!socket.destroyed) socket.write(tail);
  if (!socket.closed) await once(socket, 'close');
  const json = /\{.*\}/s.exec(answer)?.[0] ?? 'null';
  return { status: Number(answer.slice(9, 12)), body: JSON.parse(json) };
}

/** Resolves when a socket takes more, or is gone. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      socket.off('drain', end);
      socket.off('close', end);
      resolve();
    };
    socket.on('drain', end);
    socket.on('close', end);
  });

/** Resident bytes of a process. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

async function whileWatching<T>(pid: number, work: Promise<T>): Promise<{ result: T; growth: number }> {
  const before = residentOf(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentOf(pid));
  }, 20);
  try {
    return { result: await work, growth: most - before };
  } finally {
    clearInterval(timer);
  }
}

const callerOf = async (directory: string, { url }: SluiceProcess): Promise<Caller> => ({
  url,
  key: JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')).workspace_api_key,
});

const ask = async ({ url, key }: Caller, path: string, init: RequestInit = {}) =>
  fetch(`${url}/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

const contentsIn = async (directory: string) =>
  (await readdir(join(directory, 'files')).catch(() => [])).length;

async function proveLarge(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-files-'));
  const sluice = await startProcess(directory);
  try {
    const caller = await callerOf(directory, sluice);
    const [small, hash] = [await upload(caller, MB), createHash('sha256')];
    expect(small?.status === 200, 'a small file is stored');
    const { result, growth } = await whileWatching(sluice.pid, upload(caller, FILE_BYTES, { hash }));
    expect(result?.status === 200 && result.body.bytes === FILE_BYTES, `${FILE_BYTES / MB} MB are stored`);
    expect(
      growth < MOST_GROWTH,
      `memory grew by ${Math.round(growth / MB)} MB (at most ${MOST_GROWTH / MB})`,
    );
    const read = await ask(caller, `/files/${result?.body.id}/content`);
    const again = createHash('sha256');
    for await (const chunk of read.body ?? []) again.update(chunk as Uint8Array);
    expect(again.digest('hex') === hash.digest('hex'), 'they are read as they were sent');
    await ask(caller, `/files/${result?.body.id}`, { method: 'DELETE' });
    await upload(caller, 200 * MB, { breaksAfter: 100 * MB });
    for (let tries = 0; tries < 100 && (await contentsIn(directory)) > 1; tries++) await sleep(50);
    expect((await contentsIn(directory)) === 1, 'a broken upload leaves nothing');
  } finally {
    await sluice.kill('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  }
}

async function proveFullDisk(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-files-'));
  const disk = mountDisk(directory, DISK_MB);
  const sluice = await startProcess(directory);
  try {
    const caller = await callerOf(directory, sluice);
    const kept = await upload(caller, 8 * MB);
    const refused = await upload(caller, 400 * MB);
    expect(refused?.status === 507, `a file without room is answered ${refused?.status}`);
    expect((await contentsIn(directory)) === 1, 'nothing of it is left');
    const read = await (await ask(caller, `/files/${kept?.body.id}/content`)).arrayBuffer();
    expect(read.byteLength === 8 * MB, 'what was stored before is still there');
    expect((await upload(caller, MB))?.status === 200, 'and a smaller one is stored');
  } finally {
    await sluice.kill('SIGTERM');
    disk.unmount();
    await rm(directory, { recursive: true, force: true });
  }
}

async function proveBatch(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-files-'));
  const provider = await startProvider();
  const asked: string[] = [];
  const answer: Script = async (request, response, raw) => {
    asked.push(JSON.parse(request.body.toString()).messages[0].content);
    await sleep(20);
    return json(200, chatAnswer('done'))(request, response, raw);
  };
  provider.play(answer);
  const config = JSON.stringify({ provider: 'openai', api_key: 'sk-none', custom_host: provider.url });
  const ids = Array.from({ length: 400 }, (_, at) => `line-${at}`);
  const lines = ids.map((id) =>
    JSON.stringify({
      ...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
      body: { model: 'm', messages: [{ role: 'user', content: id }] },
    }),
  );
  let sluice = await startProcess(directory);
  try {
    let caller = await callerOf(directory, sluice);
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob([lines.join('\n')]), 'lines.jsonl');
    const file = (await (await ask(caller, '/files', { method: 'POST', body: form })).json()) as {
      id: string;
    };
    const made = (await (
      await ask(caller, '/batches', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-provider': 'gateway',
          'x-gateway-config': config,
        },
        body: JSON.stringify({
          input_file_id: file.id,
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
        }),
      })
    ).json()) as { id: string };
    for (let tries = 0; tries < 400 && asked.length < 150; tries++) await sleep(20);
    await sluice.kill('SIGKILL');
    const before = asked.length;
    sluice = await startProcess(directory);
    caller = await callerOf(directory, sluice);
    let batch: { status: string; request_counts: { completed: number } } | undefined;
    for (let tries = 0; tries < 400 && batch?.status !== 'completed'; tries++) {
      await sleep(100);
      batch = (await (await ask(caller, `/batches/${made.id}`)).json()) as typeof batch;
    }
    expect(
      batch?.request_counts?.completed === ids.length,
      `all lines are done, ${before} calls before the kill`,
    );
    const rows = (await (await ask(caller, `/batches/${made.id}/output`)).text()).trim().split('\n');
    const answered = rows.map((row) => JSON.parse(row).custom_id as string);
    expect(answered.join() === ids.join(), 'each line has one answer, in order');
    // Calls that were under way have no result: they are made again, eight at most.
    const repeated = asked.length - ids.length;
    expect(repeated <= 8, `${repeated} calls were made twice (at most those under way, 8)`);
  } finally {
    await sluice.kill('SIGTERM');
    await provider.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const code = ensureMountable();
if (code !== null) process.exit(code);
const started = performance.now();
await Promise.all([proveLarge().then(proveFullDisk), proveBatch()]);
console.log(`${Math.round((performance.now() - started) / 1000)} s`);
process.exitCode = findings.length > 0 ? 1 : 0;
