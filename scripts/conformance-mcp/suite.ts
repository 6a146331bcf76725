import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
);
const PATIENCE_MS = 300_000;

/** From the worst to the best. */
const statuses = ['FAILURE', 'WARNING', 'SKIPPED', 'INFO', 'SUCCESS'] as const;
export type CheckStatus = (typeof statuses)[number];

/** The worst status of each check, by scenario and check. */
export type Scores = ReadonlyMap<string, ReadonlyMap<string, CheckStatus>>;

type Check = { id: string; status: CheckStatus };

/** Runs what a revision requires of servers against an address. */
export async function runSuite(url: string, revision: string): Promise<Scores> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-conformance-'));
  try {
    const given = ['server', '--url', url, '--requirements', revision, '-o', directory];
    const said = await output([program, ...given]);
    const scores = new Map<string, ReadonlyMap<string, CheckStatus>>();
    for (const folder of await readdir(directory)) {
      const checks: Check[] = JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8'));
      scores.set(folder.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1'), worstOf(checks));
    }
    if (scores.size === 0) throw new Error(`The suite has tried nothing: ${said.slice(-2000)}`);
    return scores;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The suite ends with 1 where a scenario has failed: what it has written down says which. */
const output = (given: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      given,
      { timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });

export function worstOf(checks: readonly Check[]): ReadonlyMap<string, CheckStatus> {
  const worst = new Map<string, CheckStatus>();
  for (const { id, status } of checks) {
    const known = worst.get(id);
    if (known === undefined || rankOf(status) < rankOf(known)) worst.set(id, status);
  }
  return worst;
}

export const rankOf = (status: CheckStatus): number => statuses.indexOf(status);
