import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationFiles, splitOperations } from '../../rest-compat/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { servedSubgraphs } from '../../src/subgraphs/served.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { failToStart } from '../support/process.ts';
import { dataOf } from './support.ts';

const config = { name: 'Alone', config: { provider: '@mock' } };

describe('every subgraph', () => {
  it.each(subgraphs.map(({ name }) => name))('makes a graph alone: %s', (name) => {
    const { subgraphs: served, elsewhere } = servedSubgraphs(subgraphs, [name]);
    const { schema } = createGraph(readSources(served), elsewhere);
    expect(splitOperations(schema, operationFiles()).operations).not.toEqual([]);
  });
});

describe('a process that serves only some subgraphs', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ SUBGRAPHS: 'routing, insights' });
  });
  afterAll(() => app.stop());

  it('has the graph of these, with the entities of the others as their id alone', async () => {
    const made = await app.rest('POST', '/v1/configs', { body: config });
    const { id } = (made.body as { data: { id: string } }).data;
    const answer = await app.graphql(
      `query ($id: ID!) {
        config(id: $id) { name workspace { id } }
        __schema { queryType { fields { name } } }
        workspace: __type(name: "Workspace") { fields { name } }
      }`,
      { id },
    );
    const data = dataOf(answer);
    expect(data.config).toEqual({ name: 'Alone', workspace: { id: app.workspaceId } });
    expect(data.workspace).toEqual({ fields: [{ name: 'id' }] });
    const fields = data.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(fields).toEqual(expect.arrayContaining(['config', 'configs', 'log', 'auditLogs']));
    expect(fields).not.toContain('workspaces');
    expect(fields).not.toContain('providers');
  });

  it('answers their REST paths, and 404 on those of the others', async () => {
    expect(await app.rest('GET', '/v1/configs')).toMatchObject({ status: 200 });
    for (const [method, path] of [
      ['GET', '/v1/providers'],
      ['GET', '/v1/api-keys'],
      ['POST', '/v1/integrations'],
      ['PATCH', '/v1/providers/mock'],
    ] as const) {
      // With a provider named, a path that nobody knows would be proxied to it.
      const headers = { 'x-gateway-provider': '@mock' };
      const answer = await app.rest(method, path, { headers, key: app.adminKey });
      expect({ path, ...answer }).toMatchObject({
        path,
        status: 404,
        body: { error: { code: 'AB08', message: 'The subgraph behind this path is not served here.' } },
      });
    }
    expect(await app.rest('PATCH', '/v1/configs')).toMatchObject({ status: 405 });
  });

  it('still calls providers', async () => {
    const body = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] };
    expect(await app.rest('POST', '/v1/chat/completions', { body })).toMatchObject({ status: 200 });
  });
});

describe('the setting SUBGRAPHS', () => {
  it.each([
    ['routing,billing', /SUBGRAPHS names billing, which is no subgraph; there are identity, /],
    [',', /SUBGRAPHS: must name at least one/],
  ])('stops the start when it is %s', async (names, message) => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-served-'));
    const { code, output } = await failToStart(directory, { SUBGRAPHS: names });
    expect(code).toBe(1);
    expect(output).toMatch(message);
    await rm(directory, { recursive: true, force: true });
  });
});
