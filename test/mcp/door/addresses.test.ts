import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { serveMcp } from '../../support/mcp-clients.ts';
import { type McpUpstream, startMcpUpstream } from '../../support/mcp-upstream.ts';
import { callModern } from '../../support/mcp-wire.ts';

jest.setTimeout(120_000);

const METADATA = 'http://169.254.169.254/mcp';
let app: TestApp;
let upstream: McpUpstream;
let target: McpUpstream;
beforeAll(async () => {
  app = await startApp();
  [upstream, target] = await Promise.all([startMcpUpstream('modern'), startMcpUpstream('modern')]);
});
afterAll(async () => {
  await app.stop();
  await Promise.all([upstream.stop(), target.stop()]);
});

const make = (given: object) =>
  app.rest('POST', '/v1/mcp-integrations', {
    key: app.adminKey,
    body: { name: 'Elsewhere', auth_type: 'none', transport: 'http', url: upstream.url, ...given },
  });

describe('check 9: an address that nobody may be sent to', () => {
  it.each([
    METADATA,
    'http://[fd00:ec2::254]/mcp',
    'http://10.0.0.1/mcp',
    'https://192.168.1.1/mcp',
    'http://0xA9FEA9FE/mcp',
    'https://name:word@mcp.example/mcp',
    'ftp://mcp.example/mcp',
  ])('is not saved: %s', async (url) => {
    const { status, body } = await make({ url });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param: 'url', code: 'AB01' } });
  });

  it.each(['issuer', 'token_endpoint', 'authorization_endpoint'])('is not saved as %s', async (member) => {
    const metadata = { client_id: 'a', client_secret: 'b', [member]: 'http://169.254.169.254/token' };
    const { status, body } = await make({
      auth_type: 'oauth_client_credentials',
      configurations: { oauth_metadata: metadata },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'AB01' } });
    expect(JSON.stringify(body)).toContain(member);
  });

  it('is not tried, read or called where it has come to be one later, and nobody learns what is there', async () => {
    const { integrationId, call } = await serveMcp(app, 'moved', { url: upstream.url });
    // As if a name had come to lead there after it was saved.
    await app.db
      .collection<any>('mcp_integrations')
      .updateOne({ _id: integrationId }, { $set: { url: METADATA } });
    await call('PUT', 'mcp-integrations/moved', { description: 'Moved.' });
    const tried = await call('POST', 'mcp-integrations/moved/test');
    expect(tried).toMatchObject({ success: false, status_code: null, error: 'address not allowed' });
    await eventually(async () => {
      const { body } = await callModern(app, 'moved', 'search');
      expect(body.error).toMatchObject({ code: -31503, data: { maybe_executed: false } });
      expect(JSON.stringify(body)).not.toContain('169.254');
    });
    await app.db
      .collection<any>('mcp_catalogues')
      .updateOne({ _id: integrationId }, { $set: { nextSyncAt: new Date(0) } });
    await eventually(async () =>
      expect(await call('GET', 'mcp-integrations/moved/metadata')).toMatchObject({
        ...{ sync_status: 'failed', sync_error: 'address not allowed' },
      }),
    );
  });

  it('is not reached by a redirect either', async () => {
    const { call } = await serveMcp(app, 'redirecting', { url: upstream.url });
    target.requests.length = 0;
    upstream.onMessage = (_message, response) => {
      response.writeHead(307, { location: target.url }).end();
      return true;
    };
    const { body } = await callModern(app, 'redirecting', 'search');
    expect(body.error.code).toBe(-31502);
    expect(JSON.stringify(body)).not.toContain(target.url);
    expect(await call('POST', 'mcp-integrations/redirecting/test')).toMatchObject({
      ...{ success: false, status_code: 307, error: 'HTTP 307' },
    });
    expect(target.requests).toEqual([]);
    upstream.onMessage = () => undefined;
  });
});
