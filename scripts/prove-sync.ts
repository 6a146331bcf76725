import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Event, judge, readTrace, type Sent } from './prove-sync/trace.ts';
import { runWrites } from './prove-sync/workload.ts';

/**
 * Proves with strace that the embedded store answers no write before the write-ahead log is synced to disk. Ends with 1
 * when a reply went out too early, or when the check would not have noticed it.
 */
if (spawnSync('strace', ['-V']).error) {
  process.stderr.write('prove:sync needs strace, which is not installed (Debian: apt-get install strace).\n');
  process.exit(1);
}

const directory = mkdtempSync(join(tmpdir(), 'prove-sync-'));
try {
  const { events, sent } = await record(join(directory, 'store'), join(directory, 'trace'));
  process.exitCode = report(events, sent);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Runs the writes against a server under strace. */
async function record(store: string, trace: string): Promise<{ events: Event[]; sent: Map<number, Sent> }> {
  const calls = 'trace=fdatasync,fsync,pwrite64,write,sendto,sendmsg,writev';
  const strace = ['-f', '-y', '-xx', '-s', '16', '-e', calls, '-e', 'signal=none', '-o', trace];
  const serve = fileURLToPath(new URL('./prove-sync/serve.ts', import.meta.url));
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', serve, store];
  const child = spawn('strace', [...strace, ...node], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [uri] = (await once(createInterface(child.stdout), 'line')) as [string];
  const sent = await runWrites(uri);
  child.stdin.end();
  await ended;
  return { events: readTrace(readFileSync(trace, 'utf8')), sent };
}

/** Prints what was found; 1 when the promise is broken or the check is blind. */
function report(events: Event[], sent: Map<number, Sent>): number {
  const verdict = judge(events, sent);
  const names = [...sent.values()].map(({ name }) => name);
  const lines = [
    ['write commands answered', verdict.replies],
    ...[...new Set(names)]
      .sort()
      .map((name) => [`  ${name}`, names.filter((other) => other === name).length]),
    ['writes to the log', verdict.logWrites],
    ['syncs of the log', verdict.logSyncs],
    ['commits (syncs that had something to sync)', verdict.commits],
    ['syncs of the data file (checkpoints)', verdict.dataSyncs],
    ['replies sent before the sync', verdict.violations.length],
  ];
  for (const [label, count] of lines)
    process.stdout.write(`${String(label).padEnd(44)}${String(count).padStart(8)}\n`);
  for (const violation of verdict.violations) process.stdout.write(`  ${violation}\n`);
  const blind = blindness(events, sent);
  process.stdout.write(
    `${blind ?? 'The same trace without its syncs, or with one reply moved before its sync, is refused.'}\n`,
  );
  return verdict.violations.length > 0 || blind ? 1 : 0;
}

/** Doctors the trace in the two ways in which a server could break the promise; says what was not noticed. */
function blindness(events: Event[], sent: Map<number, Sent>): string | null {
  const unsynced = events.filter(({ kind }) => kind !== 'log sync');
  if (judge(unsynced, sent).violations.length < sent.size) return 'The check does not notice missing syncs.';
  const at = events.findIndex((event) => event.kind === 'reply' && sent.has(event.to));
  const sync = events.findLastIndex(({ kind }, i) => i < at && kind === 'log sync');
  const early = events.toSpliced(at, 1).toSpliced(sync, 0, events[at] as Event);
  return judge(early, sent).violations.length === 1 ? null : 'The check does not notice an early reply.';
}
