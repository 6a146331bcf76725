import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Limit } from '../../../src/limits/limit.ts';
import { eventually } from '../../support/eventually.ts';
import { limitOf, startCounters, type TestCounters } from '../engine/support.ts';

let counters: TestCounters;
let directory: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  counters = await startCounters();
});
afterAll(() => counters.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-journal-'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await rm(directory, { recursive: true, force: true });
});

type Child = { child: ChildProcess; output(): string; take(words: string): Promise<string> };

/** Another process with a journal in the directory. `shell` starts it, with the command line as its arguments. */
async function start(limit: Limit, shell = 'exec "$@"'): Promise<Child> {
  const script = join(import.meta.dirname, 'child.ts');
  const command = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    script,
    directory,
    counters.uri(),
  ];
  const child = spawn('bash', ['-c', shell, 'bash', ...command, JSON.stringify(limit)]);
  children.push(child);
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value ?? output;
  expect(await next()).toBe('ready');
  return {
    child,
    output: () => output,
    take(words) {
      child.stdin.write(`take ${words}\n`);
      return next();
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const counterOf = async (limit: Limit) => (await counters.raw().findOne({ limitId: limit.id })) ?? {};
const leasesOf = async (limit: Limit) => Object.values<any>((await counterOf(limit)).L ?? {});
const journals = () => readdir(directory);

/** Waits until the store has been told that so much was used. */
const reported = (limit: Limit, used: number) =>
  eventually(async () => expect(await counterOf(limit)).toMatchObject({ fill: used }));

const free = (limit: Limit) => eventually(async () => expect(await leasesOf(limit)).toEqual([]));

describe('the lease of a process that was killed', () => {
  it('is recovered at the next start: what was used and held is spent, the rest is free', async () => {
    const limit = limitOf({ amount: 1000 });
    const one = await start(limit);
    expect(await one.take('100 30')).toBe('taken');
    await reported(limit, 30);
    // Of these two the store does not know when the process dies.
    expect(await one.take('20 7')).toBe('taken');
    expect(await one.take('50')).toBe('taken');
    await kill(one.child);
    expect(await leasesOf(limit)).toHaveLength(1);
    await start(limit);
    await free(limit);
    expect(await counterOf(limit)).toMatchObject({ fill: 87, room: 913, uncertain: 50 });
  });

  it('is recovered of a rate, which refills from then on', async () => {
    const window = { kind: 'bucket', seconds: 86_400 } as const;
    const limit = limitOf({ kind: 'rate', unit: 'requests', amount: 1000, window });
    const one = await start(limit);
    for (const words of ['10 10', '10 10', '5']) expect(await one.take(words)).toBe('taken');
    await kill(one.child);
    await start(limit);
    await free(limit);
    expect(await counterOf(limit)).toMatchObject({ fill: 25, room: 975 });
  });

  it('is recovered by a neighbour that runs, and its number may have been given to another', async () => {
    const limit = limitOf({ amount: 1000 });
    const [one, two] = await Promise.all([start(limit), start(limit)]);
    expect(await one.take('100 30')).toBe('taken');
    await reported(limit, 30);
    const [file = ''] = (await journals()).filter((name) => name.includes(`.${one.child.pid}.`));
    await kill(one.child);
    await rename(join(directory, file), join(directory, withParts(file, { 2: String(process.pid) })));
    await free(limit);
    expect(await counterOf(limit)).toMatchObject({ fill: 30, room: 970 });
    await eventually(async () => expect(await journals()).toHaveLength(1));
    expect(await two.take('970')).toBe('taken');
  });
});

describe('a process that was killed in the midst of many calls', () => {
  const burst = async (one: Child, calls: number) => {
    const said = Array.from({ length: calls }, () => one.take('1 1'));
    for (const word of await Promise.all(said)) expect(word).toBe('taken');
  };

  it('has spent no less than they used, and at most as much again, for few writes', async () => {
    const limit = limitOf({ amount: 100_000 });
    const one = await start(limit);
    await burst(one, 1000);
    const [file = ''] = (await journals()).filter((name) => name.includes(`.${one.child.pid}.`));
    const writes = (await stat(join(directory, file))).size / BYTES_OF_A_WRITE;
    await kill(one.child);
    await start(limit);
    await free(limit);
    const { fill, room } = (await counterOf(limit)) as { fill: number; room: number };
    expect(fill).toBeGreaterThanOrEqual(1000);
    expect(fill).toBeLessThanOrEqual(2000);
    expect(room).toBe(100_000 - fill);
    expect(writes).toBeLessThan(500);
  });

  it('has spent exactly what they used once they have paused', async () => {
    const limit = limitOf({ amount: 100_000 });
    const one = await start(limit);
    await burst(one, 1000);
    await reported(limit, 1000);
    // The journal is exact by the time the store is told.
    await kill(one.child);
    await start(limit);
    await free(limit);
    expect(await counterOf(limit)).toMatchObject({ fill: 1000, room: 99_000, uncertain: 0 });
  });
});

/** Of a record about one lease. */
const BYTES_OF_A_WRITE = 24;

describe('a journal', () => {
  it('of a process that may live is left alone', async () => {
    const limit = limitOf({ amount: 1000 });
    const processes = await Promise.all(Array.from({ length: 4 }, () => start(limit)));
    const [stopped, elsewhere, running, dead] = processes as [Child, Child, Child, Child];
    for (const { take } of processes) expect(await take('100')).toBe('taken');
    const fileOf = async ({ child }: Child) =>
      (await journals()).find((name) => name.includes(`.${child.pid}.`)) ?? '';
    const renamed = async (one: Child, parts: Record<number, string>) => {
      const file = await fileOf(one);
      const name = withParts(file, parts);
      await rename(join(directory, file), join(directory, name));
      return name;
    };
    stopped.child.kill('SIGSTOP');
    for (const { child } of [elsewhere, running, dead]) await kill(child);
    const left = [
      await fileOf(stopped),
      // Another start of the machine, or another container.
      await renamed(elsewhere, { 1: '0'.repeat(16) }),
      await renamed(running, { 2: String(process.pid), 3: startOf(process.pid) }),
    ];
    const neighbour = await start(limit);
    // A journal goes at the look after the one that read it.
    await eventually(async () => expect(await fileOf(dead)).toBe(''));
    expect(await journals()).toEqual(expect.arrayContaining(left));
    const owners = Object.keys((await counterOf(limit)).L).map((key) => key.split('-')[0]);
    expect(owners.sort()).toEqual(left.map((name) => name.split('.')[0]).sort());
    stopped.child.kill('SIGCONT');
    expect(await stopped.take('100 1')).toBe('taken');
    expect(await neighbour.take('500 1')).toBe('taken');
  });

  it('that cannot be written stops no call, is told of once, and gives nothing back', async () => {
    const limit = limitOf({ amount: 1_000_000 });
    // Files of a kilobyte are all that this process can write.
    const one = await start(limit, 'ulimit -f 1; exec "$@"');
    const told = () => one.output().match(/The journal of limits cannot be written/g) ?? [];
    // The limit is far from spent when the kilobyte is full.
    for (let call = 0; call < 20_000 && told().length === 0; call++)
      expect(await one.take('1 1')).toBe('taken');
    for (let call = 0; call < 50; call++) expect(await one.take('1 1')).toBe('taken');
    expect(told()).toHaveLength(1);
    expect(await journals()).toEqual([]);
    await kill(one.child);
    const two = await start(limit);
    expect(await two.take('1 1')).toBe('taken');
    await eventually(async () => expect(await leasesOf(limit)).toHaveLength(2));
  });
});

const withParts = (name: string, parts: Record<number, string>): string =>
  name
    .split('.')
    .map((part, index) => parts[index] ?? part)
    .join('.');

function startOf(pid: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
