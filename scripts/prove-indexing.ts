// Files are put into a vector store by three gateways on one database, of which one is killed again and again. Every file must
// come to one end, with its text once: by what callers see, by searches for a word of each file, and in the database.
//
// A gateway is killed each two seconds. `-- --whole`: 1,000 files; else 90. With MONGODB_URI the gateways share a database there.
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Caller } from './prove-indexing/caller.ts';
import { type Brought, faultsInSearch, faultsSeen, faultsStored } from './prove-indexing/judge.ts';
import { Fleet } from './prove-limits/fleet.ts';
import { startStore } from './prove-limits/store.ts';

const isWhole = process.argv.includes('--whole');
const FILES = isWhole ? 1000 : 90;
const KILL_MS = 2000;
/** Lines of ten words in a file: as many as keep the gateways busy for some kills. */
const LINES = 600;
const GATEWAYS = 3;
/** Files of one batch at most. */
const BATCH = 500;
/** One file in so many cannot be read. */
const DAMAGED = 20;
const LATE_MS = 900_000;

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-indexing-'));
const store = await startStore(join(directory, 'store'), process.env.MONGODB_URI);
const fleet = new Fleet(directory, store.uri);

/** The contents of files lie in one directory, as on a volume that gateways share. */
async function shareFiles(): Promise<void> {
  const shared = join(directory, 'files');
  await mkdir(shared);
  for (let at = 0; at < GATEWAYS; at++) {
    const own = join(directory, `gateway-${at}`);
    await mkdir(own);
    await symlink(shared, join(own, 'files'));
  }
}

const common = [
  'river',
  'stone',
  'letter',
  'garden',
  'engine',
  'winter',
  'market',
  'window',
  'island',
  'copper',
];

/** Words of which one stands in no other file. */
const textOf = (at: number, word: string): string =>
  Array.from({ length: LINES }, (_none, line) => {
    const words = common.map((_word, place) => common[(line * 7 + place * at + place) % common.length]);
    return `${line === 30 ? `${word} ` : ''}${words.join(' ')}.`;
  }).join('\n');

const wordOf = (at: number): string =>
  `zq${[...at.toString().padStart(4, '0')].map((digit) => 'bcdfghjklm'[Number(digit)]).join('a')}x`;

async function bring(caller: Caller): Promise<Brought[]> {
  const brought: Brought[] = [];
  let next = 0;
  const work = async () => {
    while (next < FILES) {
      const at = next++;
      const isDamaged = at % DAMAGED === 7;
      const word = isDamaged ? null : wordOf(at);
      const { id } = word
        ? await caller.upload(`${at}.md`, textOf(at, word))
        : await caller.upload(`${at}.pdf`, `%PDF-1.7 that is none ${at}`);
      brought.push({ id, word });
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return brought;
}

/** Kills one gateway after another until all files have come to an end; answers how many. */
async function disturbUntilDone(caller: Caller, storeId: string): Promise<number> {
  const deadline = performance.now() + LATE_MS;
  let kills = 0;
  let killAt = performance.now();
  for (;;) {
    killAt += KILL_MS;
    await wait(Math.max(0, killAt - performance.now()));
    const { file_counts: counts } = await caller.get<{ file_counts: { in_progress: number } }>(
      `/vector_stores/${storeId}`,
    );
    if (counts.in_progress === 0) return kills;
    if (performance.now() > deadline) throw new Error(`${counts.in_progress} files are still in progress.`);
    const gateway = fleet.gateways[kills % GATEWAYS];
    if (!gateway?.running) continue;
    await fleet.kill(gateway);
    kills += 1;
    await fleet.start(gateway);
  }
}

try {
  await shareFiles();
  await fleet.resize(GATEWAYS);
  const { workspace_api_key: key } = JSON.parse(await readFile(join(fleet.first, 'bootstrap.json'), 'utf8'));
  const caller = new Caller(fleet, key);
  const brought = await bring(caller);
  const { id: storeId } = await caller.post<{ id: string }>('/vector_stores', { name: 'Proof' });
  const begun = performance.now();
  for (let at = 0; at < FILES; at += BATCH)
    await caller.post(`/vector_stores/${storeId}/file_batches`, {
      file_ids: brought.slice(at, at + BATCH).map(({ id }) => id),
    });
  const kills = await disturbUntilDone(caller, storeId);
  const seconds = (performance.now() - begun) / 1000;
  const faults = [
    ...(await faultsSeen(caller, storeId, brought)),
    ...(await faultsInSearch(caller, storeId, brought)),
    ...(await faultsStored(store.uri, storeId)),
  ];
  if (kills === 0) faults.push('All files had ended before anything was killed.');
  console.log(
    `${FILES} files by ${GATEWAYS} gateways in ${seconds.toFixed(0)} s, ${kills} kills, ${faults.length} faults.`,
  );
  for (const fault of faults.slice(0, 50)) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await fleet.stop();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
