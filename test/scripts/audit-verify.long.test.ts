import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { testDatabase } from '../support/database.ts';

const script = new URL('../../scripts/audit-verify.ts', import.meta.url).pathname;
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const database = testDatabase();
let app: TestApp;
let directory: string;

/** Where the service and the command find their data. */
const place = () => ({ DATA_DIR: directory, ...(database.uri && { MONGODB_URI: database.uri }) });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-audit-'));
  app = await startApp({ ENCRYPTION_KEY, ...place() });
  for (const name of ['one', 'two', 'three'])
    await app.rest('POST', '/v1/configs', { body: { name, config: { provider: '@mock' } } });
});
afterAll(async () => {
  await app.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

const run = promisify(execFile);

/** Exit code and output of the command beside the running service. */
async function verify(args: string[] = [], env: Record<string, string> = {}) {
  const ended = run(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { PATH: process.env.PATH, ENCRYPTION_KEY, ...place(), ...env },
  });
  return ended.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code: code as number, output: `${stdout}${stderr}` }),
  );
}

test('the chains of a running service are walked, and their ends told', async () => {
  const { code, output } = await verify();
  expect(code).toBe(0);
  const note = new RegExp(`newest (${app.organisationId}:3:[0-9a-f]{64})\n3 entries, no break.\n$`).exec(
    output,
  );
  expect(note).not.toBeNull();
  expect(await verify(['--expect', note?.[1] ?? ''])).toMatchObject({ code: 0 });
});

test('a break is named, and a note that does not hold', async () => {
  const other = await verify(['--expect', `${app.organisationId}:3:${'0'.repeat(64)}`]);
  expect(other).toMatchObject({
    code: 1,
    output: expect.stringContaining('note at 3: the note names another'),
  });
  await app.db.collection('audit_logs').updateOne({ sequence: 2 }, { $set: { userId: 'nobody' } });
  const { code, output } = await verify();
  expect(code).toBe(1);
  expect(output).toContain('  altered at 2: the entry is not the one that was hashed\n');
  expect(output).toContain('\n3 entries, BREAKS: 1.\n');
});

test.each([
  [['--expect', 'org:0:abc'], {}, 'org:0:abc is no <organisationId>:<sequence>:<hash>'],
  [['--all'], {}, "Unknown option '--all'"],
  [[], { ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') }, 'another encryption key'],
  [[], { DATA_DIR: '/nonexistent', MONGODB_URI: '' }, 'There is no store in /nonexistent/store'],
  [[], { ENCRYPTION_KEY: 'short' }, 'must be 32 bytes'],
] as [string[], Record<string, string>, string][])('%j with %j is wrong usage', async (args, env, reason) => {
  const { code, output } = await verify(args, env);
  expect(code).toBe(2);
  expect(output).toContain(reason);
  expect(output).toContain('Usage: npm run audit:verify');
});

test('a trail that was emptied with its head is told from a new one', async () => {
  const note = join(directory, 'audit-heads', app.organisationId);
  while (!(await readFile(note, 'utf8').catch(() => '')).startsWith('3:')) await sleep(50);
  for (const name of ['audit_logs', 'audit_heads']) await app.db.collection(name).deleteMany({});
  const emptied = await verify();
  expect(emptied.code).toBe(1);
  expect(emptied.output).toContain('note at 1: the note names entry 3, the chain ends with 0');
  // The operator has looked and takes it as it is.
  await rm(note);
  expect(await verify()).toMatchObject({ code: 0, output: '0 entries, no break.\n' });
});
