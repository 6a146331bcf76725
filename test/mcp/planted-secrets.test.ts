import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream, tool } from '../support/mcp-upstream.ts';
import { callModern, legacyMessage, post } from '../support/mcp-wire.ts';

jest.setTimeout(120_000);

const planted = {
  header: 'planted-header-credential-11aa22bb33cc',
  client: 'planted-client-secret-44dd55ee66ff',
  token: 'planted-upstream-token-77aa88bb99cc',
  introspection: 'planted-introspection-secret-00aa11bb',
};

let app: TestApp;
const upstreams: McpUpstream[] = [];
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await Promise.all(upstreams.map(({ stop }) => stop()));
});

/** A server that repeats what it was sent, in whatever it says. */
async function start(slug: string, moreOf: (origin: string) => object) {
  const upstream = await startMcpUpstream();
  upstreams.push(upstream);
  upstream.tools = [tool('say')];
  upstream.token = { access_token: planted.token, token_type: 'Bearer', expires_in: 3600 };
  upstream.onMessage = ({ id, method }, _response, { headers }) =>
    method === 'tools/call'
      ? { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: JSON.stringify(headers) }] } }
      : undefined;
  const { call } = await serveMcp(app, slug, {
    ...{ url: upstream.url, ...moreOf(new URL(upstream.url).origin) },
  });
  return { upstream, call };
}

describe('check 5: secrets that were planted', () => {
  it('stand in no log, audit entry or answer of the administration, whatever the server repeats of them', async () => {
    const byHeader = await start('by-header', () => ({
      auth_type: 'headers',
      configurations: {
        headers: { 'x-own-auth': planted.header },
        jwt_validation: {
          ...{ introspectEndpoint: 'http://127.0.0.1:9/introspect', headerKey: 'X-Person' },
          ...{ introspectClientId: 'us', introspectClientSecret: planted.introspection },
        },
      },
    }));
    const byToken = await start('by-token', (origin) => ({
      auth_type: 'oauth_client_credentials',
      configurations: {
        oauth_metadata: { client_id: 'us', client_secret: planted.client, token_endpoint: `${origin}/token` },
      },
    }));
    expect(JSON.stringify(byHeader.upstream.requests)).toContain(planted.header);
    expect(JSON.stringify(byToken.upstream.requests)).toContain(planted.token);
    const said = await callModern(app, 'by-token', 'say', {});
    expect(JSON.stringify(said.body)).toContain(planted.token);
    await callModern(app, 'by-header', 'say', {}, { 'x-person': 'planted-person-token-123456789' });
    await post(app, '/by-token/mcp', legacyMessage('tools/list'));
    const shown: unknown[] = [];
    for (const { upstream, call } of [byHeader, byToken]) {
      // A server that fails says what it was sent, which the reading of it must not repeat.
      upstream.status = 500;
      upstream.statusBody = JSON.stringify(planted);
      const slug = upstream === byHeader.upstream ? 'by-header' : 'by-token';
      for (const path of ['mcp-integrations', 'mcp-servers'])
        shown.push(
          await call('POST', `${path}/${slug}/test`),
          await call('GET', `${path}/${slug}`),
          await call('GET', `${path}/${slug}/metadata`),
          await call('GET', `${path}/${slug}/capabilities`),
        );
    }
    const rows = await eventually(async () => {
      await app.logged();
      const found = await app.db.collection('logs').find({ endpoint: 'mcp' }).toArray();
      expect(found).toHaveLength(3);
      return found;
    });
    const { data } = await app.graphql(
      'query { logs(pageSize: 100) { data { aiModel mcp error request { headers body } response { body } } } }',
    );
    const audit = await app.db.collection('audit_logs').find().toArray();
    expect(audit.length).toBeGreaterThan(0);
    const all = JSON.stringify([shown, rows, data, audit]);
    expect(JSON.stringify(data)).toContain('by-token/say');
    for (const secret of [...Object.values(planted), 'planted-person-token', app.workspaceKey])
      expect(all.includes(secret) ? secret : null).toBeNull();
  });
});
