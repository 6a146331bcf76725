import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort, type RemoteProcess, startRemote } from '../../support/remote-process.ts';

// Generous: another process, or many compositions, on a machine that may be busy.
jest.setTimeout(120_000);

const sentence = 'The subgraph crm does not answer.';

let directory: string;
let port: number;
let remote: RemoteProcess;
let app: TestApp;

const start = () =>
  startApp({
    DATA_DIR: directory,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    REMOTE_SUBGRAPH_POLL_MS: '100',
    REMOTE_SUBGRAPHS: JSON.stringify([
      {
        name: 'crm',
        url: `http://127.0.0.1:${port}/`,
        headers: { 'x-crm-secret': 'between-us' },
        forward_headers: ['x-theme'],
      },
    ]),
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-remote-'));
  port = await freePort();
  remote = await startRemote(port);
  app = await start();
});
afterAll(async () => {
  await app.stop();
  await remote.kill();
  await rm(directory, { recursive: true, force: true });
});

const joined =
  '{ workspaces { data { id name costCenter greeting incidents { title workspace { name } } } } }';

const ready = async () => (await app.rest('GET', '/readyz')).body;

async function restart(version?: string) {
  await remote.kill();
  remote = await startRemote(port, version);
}

describe('a remote subgraph in a process of its own', () => {
  it('is joined with our data in one query', async () => {
    const { data, errors } = await app.graphql(joined);
    expect(errors).toBeUndefined();
    const { workspaceId: id } = app;
    const incidents = ['1', '2'].map((at) => ({
      title: `Incident ${at}-${id}`,
      workspace: { name: 'Default workspace' },
    }));
    const workspace = {
      id,
      name: 'Default workspace',
      costCenter: `cc-${id}`,
      greeting: 'Hello Default workspace',
      incidents,
    };
    expect(data.workspaces.data).toEqual([workspace]);
    expect(await ready()).toMatchObject({ ready: true, subgraphs: { crm: 'up' } });
  });

  it('may be asked alone, and to change its own things', async () => {
    const { data, errors } = await app.graphql('mutation { report(title: "Down") { id title } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ report: { id: '3-x', title: 'Down' } });
  });

  it('is part of what introspection and the supergraph show', async () => {
    const { data } = await app.graphql('{ __type(name: "Workspace") { fields { name type { kind } } } }');
    expect(data.__type.fields).toContainEqual({ name: 'costCenter', type: { kind: 'SCALAR' } });
    const { body } = await app.rest('GET', '/supergraph.graphql', { key: app.adminKey });
    expect(body).toMatch(/costCenter: String @join__field\(graph: CRM\)/);
    expect(body).not.toContain(String(port));
  });

  it('learns who calls, and no credential', async () => {
    const { body } = await app.rest('POST', '/graphql', {
      body: { query: '{ headers }' },
      headers: {
        'x-theme': 'dark',
        'x-request-id': 'request-7',
        'x-other': 'private',
        'x-gateway-organisation-id': 'forged',
      },
    });
    const { headers } = (body as { data: { headers: string[] } }).data;
    expect(headers).toEqual(
      expect.arrayContaining([
        'x-theme: dark',
        'x-request-id: request-7',
        'x-crm-secret: between-us',
        `x-gateway-organisation-id: ${app.organisationId}`,
        `x-gateway-workspace-id: ${app.workspaceId}`,
      ]),
    );
    expect(headers.join('\n')).not.toMatch(/authorization|api-key|x-other|forged|sl-/);
  });

  it('needs a valid credential, as our own fields do', async () => {
    const anonymous = await app.rest('POST', '/graphql', { key: null, body: { query: '{ headers }' } });
    expect(anonymous.status).toBe(401);
    expect(anonymous.body).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(anonymous.body).not.toHaveProperty('data');
  });

  it("opens nothing of ours that the caller's own scopes keep closed", async () => {
    const neighbour = await app.createTenant();
    const query = 'query ($id: ID!) { incidentIn(workspaceId: $id) { title workspace { name } } }';
    const { data, errors } = await app.graphql(query, { id: app.workspaceId }, neighbour.adminKey);
    expect(data.incidentIn).toBeNull();
    expect(JSON.stringify(errors)).not.toContain('Default workspace');
    const created = await app.graphql(
      'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { key } }',
      { input: { name: 'Configs only', workspaceId: app.workspaceId, scopes: ['configs.list'] } },
    );
    const { key } = created.data.createWorkspaceServiceApiKey;
    const refused = await app.graphql(query, { id: app.workspaceId }, key);
    expect(refused.data.incidentIn).toBeNull();
    expect(refused.errors?.map(({ extensions }) => extensions.code)).toContain('FORBIDDEN');
  });

  it('tells its own errors by message and code, and nothing else of them', async () => {
    const { data, errors } = await app.graphql('{ workspaces { data { name failing } } }');
    expect(data.workspaces.data).toEqual([{ name: 'Default workspace', failing: null }]);
    expect(errors).toMatchObject([
      {
        message: 'The customer is locked.',
        path: ['workspaces', 'data', 0, 'failing'],
        extensions: { code: 'CRM_LOCKED', subgraph: 'crm' },
      },
    ]);
    expect(JSON.stringify(errors)).not.toContain('private');
  });

  it('leaves the rest of the data intact when it is killed, and works again when it is back', async () => {
    await remote.kill();
    const {
      data,
      errors = [],
      status,
    } = await app.graphql('{ workspaces { data { name costCenter greeting } } headers }');
    expect(status).toBe(200);
    expect(data).toEqual({
      workspaces: { data: [{ name: 'Default workspace', costCenter: null, greeting: null }] },
      headers: null,
    });
    const paths = errors.map(({ path }) => path?.join('.'));
    expect(paths.toSorted()).toEqual([
      'headers',
      'workspaces.data.0.costCenter',
      'workspaces.data.0.greeting',
    ]);
    for (const { message, extensions } of errors) {
      expect({ message, extensions }).toEqual({
        message: sentence,
        extensions: { code: 'SUBGRAPH_UNAVAILABLE', http: { status: 503 }, subgraph: 'crm' },
      });
    }
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|ECONN|between-us|_entities|query/);
    await eventually(async () =>
      expect(await ready()).toMatchObject({ ready: true, subgraphs: { crm: 'down' } }),
    );
    remote = await startRemote(port);
    const again = await app.graphql('{ workspaces { data { costCenter } } }');
    expect(again.errors).toBeUndefined();
    await eventually(async () => expect(await ready()).toMatchObject({ subgraphs: { crm: 'up' } }));
  });

  it('may get new fields while we run', async () => {
    const query = '{ workspaces { data { supportLevel } } }';
    expect((await app.graphql(query)).status).toBe(400);
    await restart('2');
    await eventually(async () =>
      expect((await app.graphql(query)).data).toEqual({ workspaces: { data: [{ supportLevel: 'gold' }] } }),
    );
    await restart('1');
    await eventually(async () => expect((await app.graphql(query)).status).toBe(400));
  });

  it('keeps its last good schema when a new one takes over what is ours, and that is reported', async () => {
    await restart('broken');
    await eventually(async () =>
      expect(await ready()).toMatchObject({ ready: true, subgraphs: { crm: 'refused' } }),
    );
    const metrics = String((await app.rest('GET', '/metrics')).body);
    expect(metrics).toContain('sluice_remote_subgraph_up{subgraph="crm"} 0');
    const { data, errors } = await app.graphql('{ workspaces { data { slug costCenter } } }');
    expect(errors).toBeUndefined();
    expect(data.workspaces.data).toEqual([
      { slug: expect.not.stringContaining('taken'), costCenter: expect.any(String) },
    ]);
    await restart('1');
    await eventually(async () => expect(await ready()).toMatchObject({ subgraphs: { crm: 'up' } }));
  });

  it('is known by its fields after a restart of ours while it is down', async () => {
    await eventually(async () =>
      expect(await readFile(join(directory, 'subgraphs/crm.graphql'), 'utf8')).toContain('costCenter'),
    );
    await remote.kill();
    await app.stop();
    app = await start();
    const query = '{ workspaces { data { name costCenter } } }';
    const { data, errors } = await app.graphql(query);
    expect(data).toEqual({ workspaces: { data: [{ name: 'Default workspace', costCenter: null }] } });
    expect(errors).toMatchObject([{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }]);
    remote = await startRemote(port);
    await eventually(async () => expect((await app.graphql(query)).errors).toBeUndefined());
  });

  it('joins at run time when it was down at our first start', async () => {
    await remote.kill();
    await app.stop();
    await rm(join(directory, 'subgraphs'), { recursive: true });
    app = await start();
    expect(await ready()).toMatchObject({ ready: true, subgraphs: { crm: 'down' } });
    expect((await app.graphql('{ workspaces { data { name } } }')).errors).toBeUndefined();
    expect((await app.graphql('{ headers }')).status).toBe(400);
    remote = await startRemote(port);
    await eventually(async () => expect((await app.graphql('{ headers }')).status).toBe(200));
  });
});
