import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LogRecord } from '../../src/recording/log-record.ts';
import { startWorld, type World } from '../dataplane/world.ts';
import { dataOf, errorOf } from '../subgraphs/support.ts';
import { chatAnswer, json } from '../support/provider.ts';
import { recordsOf } from './records.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    HEADERS_TO_METADATA: 'X-Team, x-stage',
    HEADERS_TO_MASK: 'x-customer',
    HEADERS_TO_IGNORE: 'x-internal',
  });
});
afterAll(() => world.stop());

let tags = 0;
async function logged(headers: Record<string, string>, path = '/v1/chat/completions') {
  world.provider.play(json(200, chatAnswer('hi')));
  const tagged = `${path}?tag=${++tags}`;
  expect((await world.call({ path: tagged, headers })).status).toBe(200);
  const [record] = await recordsOf(world.app, { requestUrl: tagged });
  return record as LogRecord;
}

describe('headers that the operator names (spec/data-plane.md, section 1.4)', () => {
  test('become metadata under the request’s own, over its baggage', async () => {
    const headers = { 'x-TEAM': 'ads', 'x-stage': 's'.repeat(200), 'x-other': 'no', baggage: 'x-team=b,a=b' };
    expect((await logged(headers)).metadata).toEqual({ 'x-team': 'ads', 'x-stage': 's'.repeat(128), a: 'b' });
    const own = { ...headers, 'x-gateway-metadata': '{"x-team":"own"}' };
    expect((await logged(own)).metadata['x-team']).toBe('own');
  });

  test('are masked in every log, and left out of proxied requests', async () => {
    const headers = { 'x-customer': 'acme-inc', 'x-internal': 'secret route', 'x-kept': 'yes' };
    const provider = { 'x-gateway-provider': `@${world.slug}` };
    const { _id } = await logged({ ...headers, ...provider }, '/v1/proxy/chat/completions');
    const sent = world.provider.requests.at(-1)?.headers;
    expect([sent?.['x-customer'], sent?.['x-internal'], sent?.['x-kept']]).toEqual([
      'acme-inc',
      undefined,
      'yes',
    ]);
    const { body } = await world.app.rest('GET', `/v1/logs/${_id}`);
    expect((body as any).request.headers).toMatchObject({ 'x-customer': '[redacted]', 'x-kept': 'yes' });
  });
});

describe('the mode of logging (spec/data-plane.md, section 8.1)', () => {
  const ofOrganisation = (input: object) =>
    world.app.graphql(
      'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { settings { logMode allowLogModeOverride } } }',
      { input },
    );
  const ofWorkspace = (input: object) =>
    world.app.graphql(
      'mutation ($id: ID!, $input: UpdateWorkspaceSettingsInput!) { updateWorkspaceSettings(id: $id, input: $input) { settings { logMode } } }',
      { id: world.app.workspaceId, input },
    );
  const keeps = async (headers: Record<string, string> = {}) => (await logged(headers)).bodiesId !== null;
  const silent = { 'x-gateway-debug': 'false' };

  test('is each request’s own, the organisation’s, or the workspace’s where it may differ', async () => {
    expect([await keeps(), await keeps(silent)]).toEqual([true, false]);
    dataOf(await ofOrganisation({ logMode: 'metrics' }));
    expect(await keeps()).toBe(false);
    dataOf(await ofOrganisation({ logMode: 'full' }));
    expect(await keeps(silent)).toBe(true);
    expect(errorOf(await ofWorkspace({ logMode: 'metrics' }))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'input.logMode',
    });
    dataOf(await ofOrganisation({ allowLogModeOverride: true }));
    dataOf(await ofWorkspace({ logMode: 'metrics' }));
    expect(await keeps()).toBe(false);
    const token = await world.app.token();
    world.provider.play(json(200, chatAnswer('hi')));
    const headers = { authorization: `Bearer ${token}`, 'x-gateway-workspace-id': world.app.workspaceId };
    await world.call({ key: null, headers, path: '/v1/chat/completions?by=token' });
    const [byToken] = await recordsOf(world.app, { requestUrl: '/v1/chat/completions?by=token' });
    expect(byToken?.bodiesId).toBeNull();
    dataOf(await ofOrganisation({ allowLogModeOverride: false, logMode: null }));
    expect([await keeps(), await keeps(silent)]).toEqual([true, false]);
  });
});
