import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { type SluiceProcess, startProcess } from '../support/process.ts';
import { freePort } from '../support/remote-process.ts';
import { type Block, blocksOf, type Page, pages, root } from './pages.ts';
import { patternOf, shows } from './shown-output.ts';

const run = promisify(execFile);

/** A command or program of a page, and what the page says that it prints. */
type Command = Block & { shown: string };

const commandsOf = (page: Page): Command[] =>
  blocksOf(page).flatMap((block, index, all) =>
    block.info === 'sh' || block.info === 'js' ? [{ ...block, shown: printedAfter(all[index + 1]) }] : [],
  );

function printedAfter(block: Block | undefined): string {
  if (block?.info !== '') throw new Error('A command of the documentation is followed by what it prints.');
  return block.text;
}

/** first-change.md has a test of its own: its blocks are changes to a copy of the repository. */
const executed = pages.filter(
  ({ path, text }) => !path.endsWith('first-change.md') && commandsOf({ path, text }).length > 0,
);

const pageNamed = (path: string): Page => {
  const found = pages.find((page) => page.path === path);
  if (!found) throw new Error(`There is no ${path}.`);
  return found;
};

let directory: string;
let sluice: SluiceProcess;
/** What the commands of each page printed, in their order. All pages share one service. */
const outputs = new Map<string, Promise<string[]>>();

/** The address that the pages show becomes that of the service under test. */
const atService = (text: string) => text.replaceAll('http://127.0.0.1:8787', sluice.url);

async function runPage(page: Page): Promise<string[]> {
  const printed: string[] = [];
  for (const { info, text } of commandsOf(page)) {
    const here = atService(text);
    printed.push(await (info === 'sh' ? runShell(here) : runProgram(here)));
  }
  return printed;
}

const runShell = async (script: string) => (await run('sh', ['-e', '-c', script], { cwd: directory })).stdout;

async function runProgram(program: string): Promise<string> {
  await writeFile(join(directory, 'program.mjs'), program);
  return (await run(process.execPath, ['--preserve-symlinks-main', 'program.mjs'], { cwd: directory }))
    .stdout;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  // `npm run sluice`, without the installation that a fresh clone would get first.
  const sluiceScript = `"${process.execPath}" --disable-warning=ExperimentalWarning "${join(root, 'scripts/sluice.ts')}"`;
  await writeFile(join(directory, 'package.json'), JSON.stringify({ scripts: { sluice: sluiceScript } }));
  sluice = await startProcess(join(directory, 'data'));
  // The README looks at the newest logs, so the other pages wait for it; they do not disturb each other.
  const readme = runPage(pageNamed('README.md'));
  for (const page of executed) {
    const printed = page.path === 'README.md' ? readme : readme.then(() => runPage(page));
    printed.catch(() => undefined);
    outputs.set(page.path, printed);
  }
});
afterAll(async () => {
  await Promise.allSettled(outputs.values());
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

type Asking = { data?: string; key?: 'admin_api_key' | 'workspace_api_key' };

/** Asks the graph with a key of a data directory. */
async function ask(url: string, query: string, { data = 'data', key = 'admin_api_key' }: Asking = {}) {
  const keys = JSON.parse(await readFile(join(directory, data, 'bootstrap.json'), 'utf8'));
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': keys[key], 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data: any; errors?: unknown[] };
}

describe.each(executed.map((page) => ({ page, path: page.path })))('$path', ({ page, path }) => {
  const commands = commandsOf(page);

  it.each(commands.map((command, index) => ({ command, number: index + 1, index })))(
    'prints what it shows, command $number',
    async ({ command, index }) => {
      const printed = (await outputs.get(path))?.[index] ?? '';
      const shown = atService(command.shown);
      // The pattern is of text without white space: where it fails, the message has the text with it.
      if (!shows(shown, printed)) expect(printed).toMatch(patternOf(shown));
    },
  );
});

describe('docs/identity.md', () => {
  it('shows how to make a link that invites somebody', async () => {
    const printed = (await outputs.get('docs/identity.md')) ?? [];
    const [, link = ''] = /"invite_link":"([^"]*)"/.exec(printed.join('\n')) ?? [];
    expect(link).toMatch(`${sluice.url}/invites/sl-`);
    expect((await fetch(link)).status).toBe(200);
  });
});

const queries = pages.flatMap((page) =>
  blocksOf(page)
    .filter(({ info }) => info === 'graphql' || info === 'graphql workspace')
    .map(({ info, text }) => ({
      path: page.path,
      text: text.replace('"<lastId>"', 'null'),
      key: info === 'graphql' ? ('admin_api_key' as const) : ('workspace_api_key' as const),
    })),
);

it.each(queries)('$path shows a query that the graph understands', async ({ text, key }) => {
  const [operation] = parse(text).definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('This is no operation.');
  const fields = operation.selectionSet.selections.map((field) => 'name' in field && field.name?.value);
  const { data, errors } = await ask(sluice.url, text, { key });
  expect(errors).toBeUndefined();
  expect(Object.keys(data)).toEqual(fields);
});

it('docs/graph.md shows a service that extends the graph', async () => {
  const page = pageNamed('docs/graph.md');
  const port = String(await freePort());
  const service = blocksOf(page).find(({ info }) => info === 'ts')?.text ?? '';
  const [, variable = '', list = ''] = /^(REMOTE_SUBGRAPHS)='(.*)'$/m.exec(page.text) ?? [];
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
    expect(page.text).toContain(query);
    let answer = await ask(extended.url, query, { data: 'extended' });
    // It joins when it is up, which may be after the start.
    for (let tries = 0; answer.errors && tries < 100; tries++) {
      await sleep(100);
      answer = await ask(extended.url, query, { data: 'extended' });
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
