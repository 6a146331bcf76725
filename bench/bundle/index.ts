// `npm run bench:bundle -- <thousands>`: how long the command line takes to make the resources of a bundle in an empty
// installation, and then to find nothing to do. Exits with 1 when a thousand took more than ten seconds, or the rest is not right.
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyFiles } from '../../scripts/sluice/apply.ts';
import { connect } from '../../scripts/sluice/client.ts';
import { startSluice } from '../processes.ts';
import { bundleOf } from './documents.ts';

const THOUSANDS = Number(process.argv[2] ?? 1);
const PORT = 18098;
const BUDGET_MS = 10_000 * THOUSANDS;
/** The kernel's ticks of CPU time in a second. */
const TICKS = 100;

/** Seconds of CPU time that a process has had. */
async function cpuOf(pid: number): Promise<number> {
  const [, fields = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / TICKS;
}

const sluice = await startSluice(PORT, { flags: process.argv.slice(3) });
const secretsFile = join(tmpdir(), `sluice-bench-bundle-${process.pid}.jsonl`);
try {
  const env = {
    SLUICE_URL: `http://127.0.0.1:${PORT}`,
    SLUICE_CLIENT_ID: sluice.clientId,
    SLUICE_CLIENT_SECRET: sluice.clientSecret,
    SLUICE_TSG_ID: sluice.tsgId,
    BENCH_SECRET: 'sk-value-of-the-benchmark-0123456789',
  };
  const ask = await connect(env);
  const documents = bundleOf(THOUSANDS);
  // What is said of each resource is not the figure.
  console.error = () => {};
  const say = console.log;
  console.log = () => {};
  const timed = async (what: string) => {
    const [startedAt, cpuBefore] = [performance.now(), await cpuOf(sluice.pid)];
    const code = await applyFiles(ask, { documents, prune: false }, env, secretsFile);
    const [tookMs, cpu] = [performance.now() - startedAt, (await cpuOf(sluice.pid)) - cpuBefore];
    say(
      `${what}: ${(tookMs / 1000).toFixed(2)} s, of which the service needed ${cpu.toFixed(2)} s of CPU time`,
    );
    return { code, tookMs };
  };
  const made = await timed(`${documents.length} resources made`);
  const again = await timed('the same again, with nothing to do');
  if (made.code !== 0 || again.code !== 0 || made.tookMs > BUDGET_MS) process.exitCode = 1;
} finally {
  await sluice.stop();
  await rm(secretsFile, { force: true });
}
