import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'graphql';
import { createRemotes, type Remotes } from '../../../src/graph/index.ts';
import { eventually } from '../../support/eventually.ts';
import { type LocalRemote, serveRemote } from '../../support/local-remote.ts';
import { smallContext, smallGraph } from '../small-graph.ts';

// Generous: another process, or many compositions, on a machine that may be busy.
jest.setTimeout(120_000);

const graph = smallGraph({ sdl: 'type Query { ours: Int }', resolvers: { Query: { ours: () => 1 } } });
const theirs =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3") type Query { theirs: Int }';

let directory: string;
let remote: LocalRemote;
let remotes: Remotes | null = null;
let asked = 0;
let answer: (response: ServerResponse, request: IncomingMessage) => void;

const sdl = (text: string) => (response: ServerResponse) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data: { _service: { sdl: text } } }));
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-poll-'));
  remote = await serveRemote((request, response) => {
    asked += 1;
    answer(response, request);
  });
});
afterEach(async () => {
  await remotes?.stop();
  remotes = null;
});
afterAll(async () => {
  await remote.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Remotes of the small graph, by name; those called `down` stand where nobody answers. */
function start(...names: string[]): { remotes: Remotes; logged: { message: unknown; members: unknown }[] } {
  const { log, recorded } = smallContext();
  const list = names.map((name) => ({
    name,
    url: name === 'down' ? 'http://127.0.0.1:1/' : remote.url,
    headers: { 'x-secret': 'between-us' },
    timeout: 5_000,
    forwardHeaders: [],
  }));
  remotes = createRemotes({ graph, list, pollInterval: 10, directory, log });
  return { remotes, logged: recorded.logged };
}

describe('looking at a remote subgraph again and again', () => {
  it('leaves no listener behind, logs changes only, and ends at the stop', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    answer = sdl(theirs);
    asked = 0;
    const { remotes, logged } = start('poll');
    let changes = 0;
    remotes.onChange(() => {
      changes += 1;
    });
    await remotes.start();
    await eventually(async () => expect(asked).toBeGreaterThan(50));
    await remotes.stop();
    const atStop = asked;
    // Long enough for a forgotten timer of ten milliseconds to be seen.
    for (let round = 0; round < 50; round += 1) await (await fetch(remote.url)).text();
    process.off('warning', onWarning);
    expect(asked).toBe(atStop + 50);
    expect(changes).toBe(1);
    expect(logged.map(({ message }) => message)).toEqual([
      'A remote subgraph answers.',
      'The graph was composed with its remote subgraphs.',
    ]);
    expect(warnings).toEqual([]);
  });

  it('waits a moment at the start for one that hangs, and not at the stop', async () => {
    answer = () => undefined;
    const { remotes, logged } = start('hanging');
    await remotes.start();
    expect(remotes.schema).toBe(graph.schema);
    expect(remotes.states()).toEqual({ hanging: 'down' });
    await remotes.stop();
    expect(JSON.stringify(logged)).not.toContain('between-us');
  });

  it('logs once that one is down', async () => {
    answer = sdl(theirs);
    asked = 0;
    const { remotes, logged } = start('down', 'other');
    await remotes.start();
    await eventually(async () => expect(asked).toBeGreaterThan(20));
    const messages = logged.map(({ message }) => message);
    expect(messages.filter((message) => message === 'A remote subgraph does not answer.')).toHaveLength(1);
    expect(remotes.states()).toEqual({ down: 'down', other: 'up' });
    const result = await remotes.execute({
      schema: remotes.schema,
      document: parse('{ ours }'),
      contextValue: smallContext(),
    });
    expect(result.data).toEqual({ ours: 1 });
  });

  it('keeps the first of two that do not fit together', async () => {
    answer = sdl(theirs);
    const { remotes } = start('first', 'second');
    await remotes.start();
    expect(remotes.states()).toEqual({ first: 'up', second: 'refused' });
  });

  it('keeps what worked last on disk, and starts without what is damaged there', async () => {
    answer = sdl(theirs);
    const { remotes } = start('kept');
    await remotes.start();
    const file = join(directory, 'kept.graphql');
    await eventually(async () => expect(await readFile(file, 'utf8')).toBe(theirs));
    await remotes.stop();
    await writeFile(file, 'type {');
    answer = (response) => void response.destroy();
    const again = start('kept').remotes;
    await again.start();
    expect(again.states()).toEqual({ kept: 'down' });
    expect(again.schema).toBe(graph.schema);
  });
});
