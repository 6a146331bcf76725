import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectGarbage, heldBy } from '../memory.ts';
import type { RunningSluice } from '../processes.ts';
import { graphOf } from './shown.ts';

const dist = join(import.meta.dirname, '../../console/dist');
/** How often each file of the console is fetched: what grew with it would show. */
const VISITS = 3;

/** Megabytes that the heap of a gateway has grown by once somebody has signed in, loaded all of the console, asked, and gone. */
export async function memoryOfConsole(sluice: RunningSluice, debuggerPort: number): Promise<number> {
  const base = `http://127.0.0.1:${sluice.port}/console`;
  const text = await textOf('Viewer');
  // The graph is warm without a console too.
  await graphOf(sluice.port, sluice.adminKey)(text);
  const before = await heapOf(sluice, debuggerPort);
  const signedIn = await fetch(`${base}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ key: sluice.workspaceKey }),
  });
  if (!signedIn.ok) throw new Error(`No sign-in: ${await signedIn.text()}`);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  for (let visit = 0; visit < VISITS; visit++) {
    await load(`${base}/`);
    for (const name of await readdir(join(dist, 'assets')))
      if (!name.endsWith('.br')) await load(`${base}/assets/${name}`);
    await ask(base, cookie, await hashOf('Viewer'));
  }
  return (await heapOf(sluice, debuggerPort)) - before;
}

async function heapOf(sluice: RunningSluice, debuggerPort: number): Promise<number> {
  await collectGarbage(debuggerPort);
  return (await heldBy(sluice)).heap;
}

async function load(address: string): Promise<void> {
  const response = await fetch(address, { headers: { accept: 'text/html' } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
}

async function ask(base: string, cookie: string, sha256Hash: string): Promise<void> {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
    body: JSON.stringify({
      operationName: 'Viewer',
      variables: {},
      extensions: { persistedQuery: { version: 1, sha256Hash } },
    }),
  });
  const { data } = (await response.json()) as { data?: { viewer: object | null } };
  if (!data?.viewer) throw new Error('The console does not say who is signed in.');
}

const documents = async (): Promise<[hash: string, text: string][]> =>
  Object.entries(JSON.parse(await readFile(join(dist, 'documents.json'), 'utf8')));

async function named(query: string): Promise<[hash: string, text: string]> {
  const found = (await documents()).find(([, text]) => text.startsWith(`query ${query} `));
  if (!found) throw new Error(`The console has no query ${query}.`);
  return found;
}

const hashOf = async (query: string): Promise<string> => (await named(query))[0];
const textOf = async (query: string): Promise<string> => (await named(query))[1];
