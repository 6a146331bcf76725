import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, testDatabase } from './support/database.ts';
import { failToStart, type SluiceProcess, startProcess } from './support/process.ts';
import { freePort } from './support/remote-process.ts';

const run = promisify(execFile);

let directory: string;
let database: TestDatabase;
let running: SluiceProcess[];

/** Every start takes seconds, so the tests of a block share a data directory and a database, in the order they are written. */
function inOneDirectory(): void {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-main-'));
    database = testDatabase();
    running = [];
  });
  afterAll(async () => {
    for (const process of running) await process.kill('SIGKILL');
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });
}

async function start(env: Record<string, string> = {}): Promise<SluiceProcess> {
  const process = await startProcess(directory, { MONGODB_URI: database.uri, ...env });
  running.push(process);
  return process;
}

type Bootstrap = Record<
  'base_url' | 'graphql_url' | 'organisation_id' | 'workspace_id' | 'admin_api_key' | 'workspace_api_key',
  string
>;

const bootstrap = async () =>
  JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')) as Bootstrap;

async function call(method: string, url: string, key: string, body?: unknown): Promise<any> {
  const response = await fetch(url, {
    method,
    headers: { 'x-gateway-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const ask = (baseUrl: string, key: string, content: string) =>
  call('POST', `${baseUrl}/chat/completions`, key, {
    model: '@mock/mock-1',
    messages: [{ role: 'user', content }],
  });

describe('a data directory', () => {
  inOneDirectory();
  let sluice: SluiceProcess;
  let first: Bootstrap;
  let kept: string;
  const acknowledged: string[] = [];

  describe('at the first start', () => {
    it('lets a program in that calls as soon as it finds the keys', async () => {
      const changes = watch(directory);
      const starting = start();
      for await (const { filename } of changes) if (filename === 'bootstrap.json') break;
      first = await bootstrap();
      const query = '{ organisation { id } }';
      await Promise.all([
        ask(first.base_url, first.workspace_api_key, 'Hello'),
        call('POST', first.graphql_url, first.admin_api_key, { query }),
        starting,
      ]);
      sluice = await starting;
    });

    it('prints a curl line that streams an answer when pasted', async () => {
      const command = /^ {2}(curl .*)$/m.exec(sluice.output())?.[1] ?? '';
      const { stdout } = await run('sh', ['-c', command]);
      const words = [...stdout.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word);
      expect(words.join('')).toBe('Hello from Sluice');
      expect(stdout).toMatch(/data: \[DONE\]\n\n$/);
    });

    it('writes where everything is to a file that only its owner can read', async () => {
      expect(Object.keys(first)).toEqual([
        'base_url',
        'graphql_url',
        'organisation_id',
        'workspace_id',
        'admin_api_key',
        'workspace_api_key',
        'tsg_id',
        'client_id',
        'client_secret',
      ]);
      expect(first.base_url).toBe(`${sluice.url}/v1`);
      expect((await stat(join(directory, 'bootstrap.json'))).mode & 0o777).toBe(0o600);
      expect((await stat(join(directory, 'encryption.key'))).mode & 0o777).toBe(0o600);
      const graph = await call('POST', first.graphql_url, first.admin_api_key, {
        query: '{ organisation { id } }',
      });
      expect(graph.data.organisation.id).toBe(first.organisation_id);
      for (const path of ['/healthz', '/readyz']) expect((await fetch(sluice.url + path)).status).toBe(200);
      expect(await (await fetch(`${sluice.url}/metrics`)).text()).toContain('sluice_requests_total');
      expect(await (await fetch(`${sluice.url}/explorer/`)).text()).toContain('<html');
    });
  });

  describe('at SIGTERM', () => {
    it('lets an open stream finish', async () => {
      const { base_url, workspace_api_key: key } = first;
      const created = await call('POST', `${base_url}/configs`, key, {
        name: 'kept',
        config: { provider: '@mock' },
      });
      kept = created.data.id;
      const response = await fetch(`${base_url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: '@mock/mock-slow-100',
          stream: true,
          messages: [{ role: 'user', content: 'one two three four five' }],
        }),
      });
      await Promise.all(Array.from({ length: 40 }, (_, index) => ask(base_url, key, `question ${index}`)));
      const [text, code] = await Promise.all([response.text(), sluice.kill('SIGTERM')]);
      expect(text).toMatch(/five.*\[DONE\]\n\n$/s);
      expect(code).toBe(0);
    });
  });

  describe('at the second start', () => {
    it('has everything that the first one left, and every request log', async () => {
      sluice = await start();
      const second = await bootstrap();
      expect({ ...second, base_url: '', graphql_url: '' }).toEqual({
        ...first,
        base_url: '',
        graphql_url: '',
      });
      const { base_url, workspace_api_key: key } = second;
      expect((await call('GET', `${base_url}/configs/${kept}`, key)).data.name).toBe('kept');
      expect((await call('GET', `${base_url}/providers`, key)).total).toBe(1);
      // One at once, one pasted, the stream and forty beside it.
      expect((await call('GET', `${base_url}/logs?page_size=1`, key)).total).toBe(43);
    });
  });

  describe('after kill -9', () => {
    beforeAll(async () => {
      const { base_url, workspace_api_key: key } = await bootstrap();
      let killed = false;
      const write = async (writer: number) => {
        for (let count = 0; !killed; count++) {
          const name = `config ${writer}-${count}`;
          const { data } = await call('POST', `${base_url}/configs`, key, {
            name,
            config: { provider: '@mock' },
          });
          acknowledged.push(data.id);
        }
      };
      const stream = async () => {
        while (!killed) {
          const response = await fetch(`${base_url}/chat/completions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({
              model: '@mock/mock-slow-20',
              stream: true,
              messages: [{ role: 'user', content: 'word '.repeat(50) }],
            }),
          });
          await response.text();
        }
      };
      for (let index = 0; index < 20; index++) await ask(base_url, key, `early ${index}`);
      const work = [0, 1, 2, 3].map(write).concat([stream(), stream()]);
      const settled = Promise.allSettled(work);
      await sleep(1500);
      killed = true;
      await sluice.kill('SIGKILL');
      await settled;
    });

    it('in the middle of writes and streams has everything that was acknowledged', async () => {
      expect(acknowledged.length).toBeGreaterThan(0);
      sluice = await start();
      const { base_url, workspace_api_key: key, admin_api_key: admin } = await bootstrap();
      expect(admin).toBe(first.admin_api_key);
      const found = await Promise.all(
        acknowledged.map((id) => call('GET', `${base_url}/configs/${id}`, key).then(({ data }) => data.id)),
      );
      expect(found).toEqual(acknowledged);
      const audit = await call(
        'GET',
        `${base_url}/audit-logs?start_time=2020-01-01T00:00:00Z&end_time=2100-01-01T00:00:00Z&page_size=1`,
        admin,
      );
      expect(audit.total).toBeGreaterThan(acknowledged.length);
      // The documented bound: what was answered more than a second before is in the log, once what waited on disk has come in.
      const logs = () => call('GET', `${base_url}/logs?page_size=1`, key);
      while ((await logs()).total < 63) await sleep(50);
      expect((await ask(base_url, key, 'still here')).choices[0].message.content).toBe('still here');
    });
  });

  it('does not get back what was deleted', async () => {
    const { base_url, workspace_api_key } = await bootstrap();
    await call('DELETE', `${base_url}/providers/mock`, workspace_api_key);
    await sluice.kill('SIGTERM');
    sluice = await start();
    const after = await bootstrap();
    expect((await call('GET', `${after.base_url}/providers`, workspace_api_key)).total).toBe(0);
  });

  it('is refused where its secrets were written under another key', async () => {
    await sluice.kill('SIGTERM');
    const { code, output } = await failToStart(directory, {
      MONGODB_URI: database.uri,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    expect(code).toBe(1);
    expect(output).toContain('another encryption key');
  });
});

describe('an embedded store', () => {
  inOneDirectory();

  async function expectRefusal(...words: string[]): Promise<void> {
    const { code, output } = await failToStart(directory);
    expect(output).toMatch(/^Sluice could not start: [^\n]*\n$/);
    for (const word of words) expect(output).toContain(word);
    expect(code).toBe(1);
  }

  it('is ready when the tenant, its keys and the file with them are there, and prints no key to a file', async () => {
    const PORT = String(await freePort());
    const starting = start({ MONGODB_URI: '', PORT });
    const ready = () => fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => null);
    while ((await ready())?.status !== 200) await sleep(1);
    const { base_url, workspace_api_key: key, ...others } = await bootstrap();
    await ask(base_url, key, 'Hello');
    const sluice = await starting;
    for (const secret of [key, others.admin_api_key]) expect(sluice.output()).not.toContain(secret);
    expect(await sluice.kill('SIGTERM')).toBe(0);
  });

  it.each(['missing', 'empty'])('whose data file is %s does not start as a new one', async (how) => {
    const file = join(directory, 'store/data.sqlite');
    await rename(file, join(directory, 'kept'));
    if (how === 'empty') await writeFile(file, '');
    await expectRefusal(
      `The data file ${file} is ${how}, although ${directory} has installation, bootstrap.json`,
      'restore a backup, or remove store, installation, bootstrap.json and encryption.key from there to begin anew.',
    );
    await rename(join(directory, 'kept'), file);
  });

  it('whose encryption key is missing gets no new one', async () => {
    await rename(join(directory, 'encryption.key'), join(directory, 'kept'));
    await expectRefusal(`${join(directory, 'encryption.key')} is missing`, 'put your copy of it there');
    expect(await readdir(directory)).not.toContain('encryption.key');
    await rename(join(directory, 'kept'), join(directory, 'encryption.key'));
  });
});

describe('workers', () => {
  inOneDirectory();

  it('share one address and one store, count together and are replaced', async () => {
    const sluice = await start({ MONGODB_URI: '', WORKERS: '2' });
    expect(sluice.output()).toContain('2 workers');
    const { base_url, workspace_api_key: key } = await bootstrap();
    const answered = async () => {
      const text = await (await fetch(`${sluice.url}/metrics`)).text();
      return Number(/^sluice_requests_total\{door="inference",status="2xx"\} (\d+)$/m.exec(text)?.[1]);
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(base_url, key, `question ${index}`)));
    expect(await answered()).toBe(20);

    const before = await sluice.children();
    expect(before).toHaveLength(2);
    process.kill(before[0] ?? 0, 'SIGKILL');
    while ((await sluice.children()).some((pid) => pid === before[0])) await sleep(20);
    expect((await ask(base_url, key, 'still here')).choices[0].message.content).toBe('still here');
    while ((await sluice.children()).length < 2) await sleep(50);

    expect(await sluice.kill('SIGTERM')).toBe(0);
    await start({ MONGODB_URI: '' });
    const after = await bootstrap();
    expect(after.workspace_api_key).toBe(key);
    expect((await call('GET', `${after.base_url}/logs?page_size=1`, key)).total).toBeGreaterThan(0);
  });
});

describe('a start that cannot work', () => {
  inOneDirectory();

  async function expectRefusal(sentence: string, env: Record<string, string> = {}): Promise<void> {
    const { code, output } = await failToStart(directory, env);
    expect(output).toMatch(/^Sluice could not start: [^\n]*\n$/);
    expect(output).toContain(sentence);
    expect(output).not.toContain('user:');
    expect(code).toBe(1);
  }

  /** Waits five seconds for the database, while the other starts fail. */
  let unanswered: Promise<void>;
  beforeAll(() => {
    const uri = 'mongodb://user:secret@127.0.0.1:1/x';
    unanswered = expectNoDatabase(uri, 'connect ECONNREFUSED 127.0.0.1:1');
    unanswered.catch(() => undefined);
  });

  const expectNoDatabase = (uri: string, reason: string) =>
    expectRefusal(`MONGODB_URI leads to no database that can be used (${reason}).`, {
      MONGODB_URI: uri,
      DATA_DIR: join(directory, 'without-store'),
    });

  it('reports every wrong setting at once', async () => {
    const { code, output } = await failToStart(directory, {
      PORT: 'http',
      LOG_LEVEL: 'loud',
      ENCRYPTION_KEY: 'short',
      HEADERS_TO_METADATA: 'authorization',
      EXPORT_S3_ENDPOINT: 'https://s3.example.com',
    });
    expect(code).toBe(1);
    const wrong = ['PORT', 'LOG_LEVEL', 'ENCRYPTION_KEY', 'HEADERS_TO_METADATA', 'EXPORT_S3_BUCKET'];
    for (const name of wrong) expect(output).toContain(`  ${name}: `);
  });

  describe('beside another Sluice', () => {
    let sluice: SluiceProcess;
    beforeAll(async () => {
      sluice = await start({ MONGODB_URI: '' });
    });

    it('says in one sentence that the data directory is in use', async () => {
      await expectRefusal(`The data directory ${join(directory, 'store')} is in use by process `);
    });

    it.each(['1', '2'])(
      'says that the port is taken, and leaves nothing running, with %s workers',
      async (WORKERS) => {
        const other = await mkdtemp(join(tmpdir(), 'sluice-main-'));
        const { code, output } = await failToStart(other, { PORT: new URL(sluice.url).port, WORKERS });
        await rm(other, { recursive: true, force: true });
        expect(code).toBe(1);
        expect(output).toMatch(/EADDRINUSE.*Set PORT to another one/);
      },
    );
  });

  it('says in one sentence that the data directory is a file', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expectRefusal(`The data directory ${file} is a file.`, { DATA_DIR: file });
    const below = join(file, 'data');
    await expectRefusal(`The data directory ${below} cannot be made (ENOTDIR).`, { DATA_DIR: below });
  });

  it('says in one sentence that the data directory may not be written', async () => {
    const closed = join(directory, 'closed');
    await mkdir(closed, { mode: 0o555 });
    await expectRefusal(`The data directory ${closed} cannot be read and written by this user (EACCES).`, {
      DATA_DIR: closed,
    });
  });

  it('says in one sentence that the data file is damaged', async () => {
    const damaged = join(directory, 'damaged');
    await mkdir(join(damaged, 'store'), { recursive: true });
    await writeFile(join(damaged, 'store', 'data.sqlite'), 'garbage '.repeat(1000));
    await expectRefusal(`The store in ${join(damaged, 'store')} cannot start: the data file is damaged`, {
      DATA_DIR: damaged,
    });
  });

  it('says in one sentence that MONGODB_URI does not answer', () => unanswered);

  it('says in one sentence that MONGODB_URI is not a connection string', () =>
    expectNoDatabase('mongodb://user:sec@ret@127.0.0.1/x', 'Invalid connection string'));
});
