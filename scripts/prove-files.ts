// Sends a file of 512 MB, one that breaks off and one for which the disk has no room to a service of its own, and kills it while
// it works on a batch. Shows that memory stays flat, that what was stored is still there, that a broken upload leaves nothing,
// and that no finished line of the batch is called twice. Contents lie on the disk, and then in the database, where a service is
// killed under an upload as well: what it leaves is removed by the next one.
//
// The disk is a small file system in memory where this user may mount one; without it the full disk is left out.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../test/support/process.ts';
import { chatAnswer, json, type Script, startProvider } from '../test/support/provider.ts';
import { proveBroken } from './prove-files/in-database.ts';
import { ask, callerOf, MB, upload, whileWatching } from './prove-files/upload.ts';
import { ensureMountable, mountDisk } from './prove-full-disk/disk.ts';

const FILE_BYTES = 512 * MB;
const DISK_MB = 256;

const findings: string[] = [];
const expect = (holds: boolean, what: string) => {
  console.log(`${holds ? 'yes' : 'NO '}  ${what}`);
  if (!holds) findings.push(what);
};

const contentsIn = async (directory: string) =>
  (await readdir(join(directory, 'files')).catch(() => [])).length;

/** Where contents lie, and what the process may grow by while it stores the file. */
type Place = { name: string; env: Record<string, string>; mostGrowth: number };

const places: Place[] = [
  { name: 'on the disk', env: {}, mostGrowth: 160 * MB },
  // The store, with what it keeps in memory, is in the same process.
  { name: 'in the database', env: { CONTENTS_IN_DATABASE: 'true' }, mostGrowth: 240 * MB },
];

async function proveLarge({ name, env, mostGrowth }: Place): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-files-'));
  const sluice = await startProcess(directory, env);
  try {
    const caller = await callerOf(directory, sluice);
    const [small, hash] = [await upload(caller, MB), createHash('sha256')];
    expect(small?.status === 200, `a small file is stored ${name}`);
    const { result, growth } = await whileWatching(sluice.pid, upload(caller, FILE_BYTES, { hash }));
    expect(result?.status === 200 && result.body.bytes === FILE_BYTES, `${FILE_BYTES / MB} MB are stored`);
    expect(growth < mostGrowth, `memory grew by ${Math.round(growth / MB)} MB (at most ${mostGrowth / MB})`);
    const read = await ask(caller, `/files/${result?.body.id}/content`);
    const again = createHash('sha256');
    for await (const chunk of read.body ?? []) again.update(chunk as Uint8Array);
    expect(again.digest('hex') === hash.digest('hex'), 'they are read as they were sent');
    await ask(caller, `/files/${result?.body.id}`, { method: 'DELETE' });
    if (env.CONTENTS_IN_DATABASE) return;
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
const proveFiles = async () => {
  for (const place of places) await proveLarge(place);
  await proveBroken(expect);
  await proveFullDisk();
};
await Promise.all([proveFiles(), proveBatch()]);
console.log(`${Math.round((performance.now() - started) / 1000)} s`);
process.exitCode = findings.length > 0 ? 1 : 0;
