import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { settingNames } from '../src/settings/index.ts';
import { type SluiceProcess, startProcess } from './support/process.ts';
import { freePort } from './support/remote-process.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

let readme: string;
let manifest: { scripts: Record<string, string>; dependencies: Record<string, string> };
let directory: string;
let sluice: SluiceProcess;

beforeAll(async () => {
  readme = await readFile(join(root, 'README.md'), 'utf8');
  manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  directory = await mkdtemp(join(tmpdir(), 'sluice-readme-'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  sluice = await startProcess(join(directory, 'data'));
});
afterAll(async () => {
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) =>
    (text ?? '').replaceAll('http://127.0.0.1:8787', sluice.url),
  );

const shell = (script: string) => run('sh', ['-e', '-c', script], { cwd: directory });

/** Asks the graph with the admin's key of a data directory. */
async function ask(url: string, query: string, data = 'data') {
  const { admin_api_key } = JSON.parse(await readFile(join(directory, data, 'bootstrap.json'), 'utf8'));
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': admin_api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: any; errors?: unknown[] };
}

describe('the README', () => {
  it('shows shell commands that do what it says', async () => {
    const [first = '', net = '', graph = '', tail = '', _rotation, _token, _policy, _invite, ...rest] =
      blocks('sh');
    expect(rest).toEqual([]);
    const streamed = await shell(first);
    expect(streamed.stdout).toMatch(/"content":"Hello"[\s\S]*data: \[DONE\]/);
    const answered = await shell(net);
    expect(answered.stdout).toMatch(/HTTP\/1.1 200 OK[\s\S]*config\.targets\[1\][\s\S]*Is anybody there\?/);
    const asked = JSON.parse((await shell(graph)).stdout);
    expect(asked.data.logs.data).toEqual([
      {
        responseStatusCode: 200,
        lastUsedOptionJsonPath: 'config.targets[1]',
        provider: { slug: 'mock' },
        config: { name: 'Main with a safety net', workspace: { name: 'Default workspace' } },
      },
      {
        responseStatusCode: 503,
        lastUsedOptionJsonPath: 'config.targets[0]',
        provider: { slug: 'main' },
        config: { name: 'Main with a safety net', workspace: { name: 'Default workspace' } },
      },
    ]);
    const seen = (await shell(tail)).stdout;
    expect(seen).toContain(
      'event: next\ndata: {"data":{"logAdded":{"endpoint":"chatComplete","aiModel":"mock-1","responseStatusCode":200,"totalTokens":2}}}\n',
    );
  });

  it('shows how a key is rotated', async () => {
    const [, , , , rotation = ''] = blocks('sh');
    const { stdout } = await shell(rotation);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['id', 'key', 'key_transition_expires_at']);
  });

  it('shows how a program gets an access token and administers with it', async () => {
    const [, , , , , token = ''] = blocks('sh');
    const { stdout } = await shell(token);
    expect(JSON.parse(stdout)).toMatchObject({
      object: 'list',
      total: 1,
      data: [{ id: expect.stringMatching(/^ws-default-/) }],
    });
  });

  it('shows how a service account is made and gets a role', async () => {
    const [, , , , , , policy = ''] = blocks('sh');
    const [account = '', made = ''] = (await shell(policy)).stdout.split('\n');
    const { createServiceAccount } = JSON.parse(account).data;
    expect(createServiceAccount.clientSecret).toMatch(/^sl-/);
    expect(JSON.parse(made)).toEqual({ id: expect.any(String) });
  });

  it('shows how somebody is invited', async () => {
    const [, , , , , , , invite = ''] = blocks('sh');
    const { invite_link: link } = JSON.parse((await shell(invite)).stdout);
    expect(link).toMatch(`${sluice.url}/invites/sl-`);
    expect((await fetch(link)).status).toBe(200);
  });

  it('shows a program that prints what it says', async () => {
    const [program = ''] = blocks('js');
    await writeFile(join(directory, 'program.mjs'), program);
    const { stdout } = await run(process.execPath, ['--preserve-symlinks-main', 'program.mjs'], {
      cwd: directory,
    });
    expect(stdout).toBe('Hello from an SDK');
  });

  it('shows a query of lists that the graph understands', async () => {
    const [query = ''] = blocks('graphql');
    const { data, errors } = await ask(sluice.url, query.replace('after: "<lastId>"', 'after: null'));
    expect(errors).toBeUndefined();
    expect(Object.keys(data)).toEqual(['apiKeys', 'logHistory']);
  });

  it('shows a query of analytics that the graph understands', async () => {
    const [, query = ''] = blocks('graphql');
    const { data, errors } = await ask(sluice.url, query);
    expect(errors).toBeUndefined();
    expect(Object.keys(data.analytics)).toEqual(['requests', 'cost', 'latency', 'groups']);
  });

  it('shows a service that extends the graph', async () => {
    const port = String(await freePort());
    const [service = ''] = blocks('ts');
    const [, variable = '', list = ''] = /^(REMOTE_SUBGRAPHS)='(.*)'$/m.exec(readme) ?? [];
    await writeFile(join(directory, 'service.ts'), service.replace('4001', port));
    const extension = spawn(process.execPath, ['--preserve-symlinks-main', 'service.ts'], {
      cwd: directory,
      stdio: 'ignore',
    });
    const extended = await startProcess(join(directory, 'extended'), {
      [variable]: list.replace('4001', port).replace('…', 'secret'),
      REMOTE_SUBGRAPH_POLL_MS: '100',
    });
    try {
      const query = '{ workspaces { data { name costCenter } } }';
      expect(readme).toContain(query);
      let answer = await ask(extended.url, query, 'extended');
      // It joins when it is up, which may be after the start.
      for (let tries = 0; answer.errors && tries < 100; tries++) {
        await sleep(100);
        answer = await ask(extended.url, query, 'extended');
      }
      expect(answer).toEqual({
        data: {
          workspaces: {
            data: [{ name: 'Default workspace', costCenter: expect.stringMatching(/^cc-[0-9a-f]{4}$/) }],
          },
        },
      });
    } finally {
      extension.kill();
      await once(extension, 'exit');
      await extended.kill('SIGTERM');
    }
  });

  it('lists every setting, and no other', () => {
    const table = readme.slice(readme.indexOf('## Settings'), readme.indexOf('## Running it'));
    const listed = [...table.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(settingNames.toSorted());
  });

  it('names every library with the version that is installed', () => {
    const table = readme.slice(readme.indexOf('## Libraries'));
    const listed = Object.fromEntries(
      [...table.matchAll(/^\| `([^`]+)` \| ([\d.]+) \|/gm)].map(([, name, version]) => [name, version]),
    );
    expect(listed).toEqual(manifest.dependencies);
  });

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/`(?:[A-Z_]+=\S+ )?npm (?:run )?([\w:-]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});
