import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { document, team, teamSecrets } from '../subgraphs/identity/bundles.ts';
import { auditRows } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';

const root = join(import.meta.dirname, '../..');
const secrets = Object.fromEntries(
  Object.entries(teamSecrets).map(([name, value]) => [name.replace('env:', ''), value]),
);

let app: TestApp;
let other: TestApp;
let directory: string;
let file: string;

beforeAll(async () => {
  [app, other] = await Promise.all([startApp(), startApp()]);
  directory = await mkdtemp(join(tmpdir(), 'sluice-bundle-'));
  file = await put('all.yaml', team);
});
afterAll(async () => {
  await Promise.all([app.stop(), other.stop()]);
  await rm(directory, { recursive: true, force: true });
});

async function put(name: string, documents: readonly unknown[] | string): Promise<string> {
  const path = join(directory, name);
  const text =
    typeof documents === 'string' ? documents : documents.map((each) => `---\n${stringify(each)}`).join('');
  await writeFile(path, text);
  return path;
}

const started = (args: string[], at: TestApp | null = app, more: Record<string, string> = {}) =>
  spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'scripts/sluice.ts'), ...args],
    {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        ...secrets,
        ...(at && {
          SLUICE_URL: at.url,
          SLUICE_CLIENT_ID: at.clientId,
          SLUICE_CLIENT_SECRET: at.clientSecret,
          SLUICE_TSG_ID: at.tsgId,
        }),
        ...more,
      },
    },
  );

async function sluice(args: string[], at: TestApp | null = app, more: Record<string, string> = {}) {
  const child = started(args, at, more);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, out, err };
}

describe('npm run sluice', () => {
  it('takes the assistants of a workspace to another installation', async () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const made = await app.rest('POST', '/v1/threads', { key: app.workspaceKey, body: { messages } });
    const { id } = made.body as { id: string };
    const path = join(directory, 'assistants.jsonl');
    const [from, to] = [app, other].map(({ workspaceId }) => ({ SLUICE_WORKSPACE_ID: workspaceId }));
    expect(await sluice(['export-assistants', path], app, from)).toEqual({ code: 0, out: '', err: '' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const first = await sluice(['import-assistants', path], other, to);
    expect(first).toMatchObject({ code: 0, err: expect.stringMatching(/^new: .* 1 threads, 1 messages/) });
    expect(await other.rest('GET', `/v1/threads/${id}`, { key: other.workspaceKey })).toMatchObject({
      status: 200,
    });
    await writeFile(path, 'nonsense\n', { flag: 'a' });
    const again = await sluice(['import-assistants', path], other, to);
    expect(again.code).toBe(1);
    expect(again.err).toContain('there before: 0 assistants, 1 threads, 1 messages');
    expect(again.err).toContain(`${path}:3: The line is no JSON object.`);
    const without = await sluice(['export-assistants', path]);
    expect(without).toMatchObject({ code: 1, err: expect.stringContaining('403') });
  });

  it('checks documents without a service', async () => {
    expect(await sluice(['validate', file], null)).toMatchObject({ code: 0 });
    const wrong = await put('wrong.yaml', [document('Workspace', 'ws-x', { name: 'X', colour: 'red' })]);
    expect(await sluice(['validate', wrong], null)).toMatchObject({
      code: 1,
      err: 'Document 1 (Workspace ws-x): spec.colour is no member that there is here.\n',
    });
    const cycle = await put('cycle.yaml', 'apiVersion: sluice/v1\nspec: &all\n  within: *all\n');
    expect((await sluice(['validate', cycle], null)).err).toContain('which is a cycle');
  });

  it('says what would change, and ends with 2', async () => {
    const { code, out } = await sluice(['diff', file]);
    expect(code).toBe(2);
    expect(out.split('\n')[0]).toBe('create Workspace ws-search');
    expect((await sluice(['apply', '--dry-run', file])).code).toBe(0);
    expect((await sluice(['diff', file])).out).toBe(out);
  });

  it('asks where the secrets of new keys shall go before it makes anything', async () => {
    expect(await sluice(['apply', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('--secrets-out'),
    });
    expect((await sluice(['diff', file])).code).toBe(2);
  });

  it('applies, writes new secrets to a file for the owner alone, and then has nothing to do', async () => {
    const out = join(directory, 'secrets.jsonl');
    expect(await sluice(['apply', file, '--secrets-out', out])).toMatchObject({ code: 0 });
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const made = (await readFile(out, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(made.map(({ kind, slug }) => `${kind} ${slug}`)).toEqual(['ServiceAccount robot', 'ApiKey ci']);
    const before = await auditRows(app, {});
    expect(await sluice(['apply', file])).toMatchObject({ code: 0, out: '' });
    expect(await sluice(['diff', file])).toMatchObject({ code: 0, out: '' });
    expect(await auditRows(app, {})).toHaveLength(before.length);
  });

  it('exports the same bytes from another installation that its export was applied to', async () => {
    const exported = await sluice(['export']);
    expect(exported.code).toBe(0);
    for (const secret of Object.values(secrets)) expect(exported.out).not.toContain(secret);
    const path = await put('exported.yaml', exported.out);
    expect(
      await sluice(['apply', path, '--secrets-out', join(directory, 'others.jsonl')], other),
    ).toMatchObject({ code: 0 });
    expect((await sluice(['export'], other)).out).toBe(exported.out);
  });

  it('goes on where a killed apply has stopped, and prunes what has no document', async () => {
    const many = [
      document('Workspace', 'ws-many', { name: 'Many' }, 'many'),
      ...Array.from({ length: 599 }, (_, index) =>
        document(
          'Provider',
          `p-${index}`,
          { workspace: 'ws-many', integration: 'mock', name: `P ${index}` },
          'many',
        ),
      ),
    ];
    const path = await put('many.yaml', many);
    const child = started(['apply', path]);
    let done = 0;
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        done += chunk.toString().split('done: ').length - 1;
        if (done >= 100) child.kill('SIGKILL');
      });
      child.once('close', () => resolve());
    });
    expect(child.signalCode).toBe('SIGKILL');
    const left = (await sluice(['diff', path])).out.trim().split('\n');
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThanOrEqual(500);
    expect(await sluice(['apply', path])).toMatchObject({ code: 0 });
    expect(await sluice(['diff', path])).toMatchObject({ code: 0, out: '' });
    expect(await sluice(['apply', '--prune', await put('fewer.yaml', many.slice(0, 1))])).toMatchObject({
      code: 0,
    });
    expect((await sluice(['export', '--bundle', 'many'])).out.match(/^kind:/gm)).toHaveLength(1);
  }, 120_000);
});
