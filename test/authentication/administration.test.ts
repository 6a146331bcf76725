import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import type { Permission } from '../../src/auth/index.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import { type Account, accountWith, createAccount, createRole } from '../subgraphs/identity/accounts.ts';
import { asBearer, errorIn } from '../subgraphs/identity/bearer.ts';
import { dataOf } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { forgedToken } from '../support/forged-token.ts';

/**
 * The rules on identities and access in the administration, one test each. Keys (scheme B) have their own: test/rest-compat/key-types.test.ts
 */
const masterKey = randomBytes(32);

let app: TestApp;
/** Of the account that may do everything in the root tenant. */
let admin: string;
let neighbour: Tenant;
/** Below the root: two children, and a child of the first. */
let child: string;
let peer: string;
let grandchild: string;

beforeAll(async () => {
  app = await startApp({ ENCRYPTION_KEY: masterKey.toString('base64') });
  admin = await app.token();
  neighbour = await app.createTenant();
  child = await makeTenant(admin);
  peer = await makeTenant(admin);
  grandchild = await makeTenant(await app.token({ tsgId: child }));
});
afterAll(() => app.stop());

async function makeTenant(token: string): Promise<string> {
  const document = 'mutation { createTenant(input: { name: "Made" }) { id } }';
  return dataOf(await app.graphql(document, {}, token)).createTenant.id;
}

type Client = Pick<Account, 'id' | 'clientSecret'>;

/** The token request as an OAuth client makes it. */
function grant({ id, clientSecret }: Client, tsgId = app.tsgId) {
  const server = { issuer: app.url, token_endpoint: `${app.url}/oauth2/access_token` };
  const client = new openid.Configuration(server, id, undefined, openid.ClientSecretBasic(clientSecret));
  openid.allowInsecureRequests(client);
  return openid.clientCredentialsGrant(client, { scope: `tsg_id:${tsgId}` });
}

/** The status and OAuth error of a token request that is rejected. */
const rejection = (client: Client, tsgId = app.tsgId): Promise<string> =>
  grant(client, tsgId).then(
    () => 'none',
    ({ status, error, cause }) => `${status} ${error ?? cause?.[0]?.parameters?.error ?? ''}`.trim(),
  );

const seeded = (): Client => ({ id: app.clientId, clientSecret: app.clientSecret });
const configs = (token: string) => app.rest('GET', '/v2/configs', asBearer(token));
const organisationOf = async (token: string) =>
  dataOf(await app.graphql('{ organisation { id } }', {}, token)).organisation.id;

const resource = (tsgId: string, workspace = '') => `prn:${tsgId}::::${workspace}`;
const postPolicy = (token: string, body: object) =>
  app.rest('POST', '/iam/v1/access_policies', { ...asBearer(token), body });
const policiesOf = async (token: string) =>
  ((await app.rest('GET', '/iam/v1/access_policies', asBearer(token))).body as { data: { id: string }[] })
    .data;

const invalidAuthorisation = {
  status: 401,
  code: 'AB05',
  message: expect.stringMatching(/^The authorisation code is not valid\./),
};

describe('Scheme A: access token from the authentication service', () => {
  it('1. A gateway API key is not accepted on any administration endpoint', async () => {
    expect((await configs(admin)).status).toBe(200);
    for (const path of ['/v2/configs', '/admin/v2/integrations', '/iam/v1/access_policies']) {
      for (const key of [app.adminKey, app.workspaceKey]) {
        expect(errorIn(await app.rest('GET', path, asBearer(key)))).toEqual(invalidAuthorisation);
      }
    }
  });

  it('2. Create a service account, record Client ID and Secret, assign it a role, call the endpoint', async () => {
    const account = await createAccount(app, admin);
    expect(await rejection(account)).toBe('400 unauthorized_client');
    const policy = { principal: account.displayName, resource: resource(app.tsgId), role: 'view_only_admin' };
    expect((await postPolicy(admin, policy)).status).toBe(201);
    const { access_token } = await grant(account);
    expect((await configs(access_token)).status).toBe(200);
  });

  it('2. The Client Secret is shown once; if lost a new credential must be issued', async () => {
    const account = await accountWith(app, admin, 'view_only_admin');
    const read = `query ($id: ID!) { serviceAccount(id: $id) { id name displayName description tsgId } }`;
    const shown = dataOf(await app.graphql(read, { id: account.id }, admin)).serviceAccount;
    expect(JSON.stringify(shown)).not.toContain(account.clientSecret);
    const reset = 'mutation ($id: ID!) { resetServiceAccountSecret(id: $id) { clientSecret } }';
    const answer = dataOf(await app.graphql(reset, { id: account.id }, admin));
    const { clientSecret } = answer.resetServiceAccountSecret;
    expect(await rejection(account)).toMatch(/^401/);
    expect(await rejection({ id: account.id, clientSecret })).toBe('none');
  });

  it('3. The service account must belong to the TSG named in scope or to one of its ancestors', async () => {
    const ofChild = await accountWith(app, await app.token({ tsgId: child }), 'superuser', { tsgId: child });
    expect(await rejection(ofChild, child)).toBe('none');
    expect(await rejection(ofChild, grandchild)).toBe('none');
    expect(await rejection(ofChild, app.tsgId)).toBe('400 invalid_scope');
  });

  it('4. The token lifetime is 900 seconds', async () => {
    const { access_token, expires_in } = await grant(seeded());
    const { iat = 0, exp = 0 } = decodeJwt(access_token);
    expect([expires_in, exp - iat]).toEqual([900, 900]);
  });

  it('5. The TSG ID is not sent on the request; the token holds it and the request is routed to that tenant', async () => {
    const organisations = [];
    for (const tsgId of [app.tsgId, child, grandchild]) {
      const { access_token } = await grant(seeded(), tsgId);
      expect(decodeJwt(access_token).tsg_id).toBe(tsgId);
      organisations.push(await organisationOf(access_token));
    }
    expect(organisations[0]).toBe(app.organisationId);
    expect(new Set(organisations).size).toBe(3);
  });

  it('6. Tokens for the own TSG and any of its descendants, none for ancestors or peers', async () => {
    const ofChild = await accountWith(app, await app.token({ tsgId: child }), 'superuser', { tsgId: child });
    expect(await rejection(ofChild, grandchild)).toBe('none');
    expect(await rejection(ofChild, peer)).toBe('400 invalid_scope');
    expect(await rejection(ofChild, app.tsgId)).toBe('400 invalid_scope');
  });

  it('6. A service account added to a parent tenant is added to all its children', async () => {
    const { id, clientSecret } = await accountWith(app, admin, 'view_only_admin');
    for (const tsgId of [child, peer, grandchild]) {
      const { access_token } = await grant({ id, clientSecret }, tsgId);
      expect((await configs(access_token)).status).toBe(200);
    }
  });

  it('6. A token for one TSG cannot be used against another', async () => {
    const made = await app.rest('POST', '/v2/deployments', {
      ...asBearer(admin),
      body: { name: 'Of the root', type: 'production', url: 'https://gateway.example' },
    });
    const path = `/v2/deployments/${(made.body as { id: string }).id}`;
    expect((await app.rest('GET', path, asBearer(admin))).status).toBe(200);
    const ofChild = await app.token({ tsgId: child });
    expect((await app.rest('GET', path, asBearer(ofChild))).status).toBe(404);
    const policy = { principal: 'somebody@example.com', resource: resource(child), role: 'superuser' };
    expect(errorIn(await postPolicy(admin, policy))).toMatchObject({
      ...invalidAuthorisation,
      message: expect.stringMatching(/is for the tenant/),
    });
  });

  it('7. A policy on the target tenant that names the identity overrides the hierarchy for that pairing', async () => {
    const ofPeer = await createAccount(app, await app.token({ tsgId: peer }));
    expect(await rejection(ofPeer, child)).toBe('400 invalid_scope');
    const policy = { principal: ofPeer.displayName, resource: resource(child), role: 'view_only_admin' };
    expect((await postPolicy(await app.token({ tsgId: child }), policy)).status).toBe(201);
    expect((await configs((await grant(ofPeer, child)).access_token)).status).toBe(200);
    expect(await rejection(ofPeer, grandchild)).toBe('400 invalid_scope');
    expect(await rejection(ofPeer, app.tsgId)).toBe('400 invalid_scope');
  });

  it('8. A policy for a principal that does not exist has no effect until such a principal appears', async () => {
    const principal = `later@${app.tsgId}.iam.sluice.local`;
    const policy = { principal, resource: resource(app.tsgId), role: 'view_only_admin' };
    const { status, body } = await postPolicy(admin, policy);
    expect({ status, body }).toEqual({ status: 201, body: { id: expect.any(String) } });
    const later = await createAccount(app, admin, 'later');
    expect((await configs((await grant(later)).access_token)).status).toBe(200);
  });

  it('9. A custom role needs iam.service_account and iam.custom_role if the account manages identities itself', async () => {
    const listedWith = async (permissions: Permission[]) => {
      const { token } = await accountWith(app, admin, await createRole(app, admin, permissions));
      const codes = [];
      for (const list of ['serviceAccounts', 'roles']) {
        const { errors } = await app.graphql(`{ ${list} { total } }`, {}, token);
        codes.push(errors?.[0]?.extensions.code ?? 'listed');
      }
      return codes;
    };
    expect(await listedWith(['iam.service_account', 'iam.custom_role'])).toEqual(['listed', 'listed']);
    expect(await listedWith(['iam.service_account'])).toEqual(['listed', 'FORBIDDEN']);
    expect(await listedWith(['configs.list'])).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  });
});

describe('States and transitions', () => {
  it('Access token: POST /oauth2/access_token -> valid; the response carries expires_in = 900', async () => {
    const { access_token, token_type, expires_in } = await grant(seeded());
    expect({ token_type, expires_in }).toEqual({ token_type: 'bearer', expires_in: 900 });
    expect((await configs(access_token)).status).toBe(200);
  });

  it('Access token: 900 seconds elapse -> expired; admin requests are rejected with an authorisation error', async () => {
    const secrets = createSecrets(masterKey);
    const agedBy = (seconds: number) => forgedToken(app, secrets, new Date(Date.now() - seconds * 1000));
    expect((await configs(await agedBy(840))).status).toBe(200);
    expect(errorIn(await configs(await agedBy(900)))).toEqual(invalidAuthorisation);
  });

  it('Access policy: POST -> created; HTTP 201 with the policy identifier', async () => {
    const policy = {
      principal: 'created@example.com',
      resource: resource(app.tsgId),
      role: 'view_only_admin',
    };
    const { status, body } = await postPolicy(admin, policy);
    expect({ status, body }).toEqual({ status: 201, body: { id: expect.any(String) } });
    expect(await policiesOf(admin)).toContainEqual({ ...(body as { id: string }), ...policy });
  });

  it('Access policy: DELETE -> removed', async () => {
    const policy = {
      principal: 'removed@example.com',
      resource: resource(app.tsgId),
      role: 'view_only_admin',
    };
    const { id } = (await postPolicy(admin, policy)).body as { id: string };
    const path = `/iam/v1/access_policies/${id}`;
    expect((await app.rest('DELETE', path, asBearer(admin))).status).toBe(200);
    expect((await policiesOf(admin)).map((each) => each.id)).not.toContain(id);
    expect((await app.rest('DELETE', path, asBearer(admin))).status).toBe(404);
  });

  it('API key: POST rotate -> new key issued; the response carries the new key and key_transition_expires_at', async () => {
    const made = await app.rest('POST', '/v2/api-keys/workspace/service', {
      ...asBearer(admin),
      body: { name: 'Turned', workspace_id: app.workspaceId, scopes: ['configs.list'] },
    });
    const { id, key } = made.body as { id: string; key: string };
    const { status, body } = await app.rest('POST', `/v2/api-keys/${id}/rotate`, {
      ...asBearer(admin),
      body: { key_transition_period_ms: 1_800_000 },
    });
    const rotated = body as { key: string };
    expect({ status, body }).toEqual({
      status: 200,
      body: { id, key: expect.any(String), key_transition_expires_at: expect.stringMatching(/^\d{4}-/) },
    });
    for (const each of [key, rotated.key]) {
      expect((await app.rest('GET', '/v1/configs', { key: each })).status).toBe(200);
    }
  });
});

describe('Errors', () => {
  it('Access policy POST repeated for an existing policy: HTTP 409', async () => {
    const policy = { principal: 'twice@example.com', resource: resource(app.tsgId), role: 'view_only_admin' };
    expect((await postPolicy(admin, policy)).status).toBe(201);
    const before = await policiesOf(admin);
    expect(errorIn(await postPolicy(admin, policy))).toMatchObject({ status: 409, code: 'AB07' });
    expect(await policiesOf(admin)).toEqual(before);
  });

  it('Access policy POST with a non-existent principal: HTTP 201, policy stored, no effect', async () => {
    const principal = `nobody@${app.tsgId}.iam.sluice.local`;
    const { status, body } = await postPolicy(admin, {
      principal,
      resource: resource(app.tsgId),
      role: 'superuser',
    });
    expect(status).toBe(201);
    expect((await policiesOf(admin)).map(({ id }) => id)).toContain((body as { id: string }).id);
    expect(await rejection({ id: 'nobody', clientSecret: 'none' })).toMatch(/^401/);
  });

  it.each<[string, () => Promise<string>]>([
    ['expired token', () => forgedToken(app, createSecrets(masterKey), new Date(Date.now() - 901_000))],
    ['gateway API key', async () => app.adminKey],
  ])('Administration request with %s: an invalid authorisation code', async (_what, credential) => {
    for (const path of ['/v2/configs', '/admin/v2/integrations', '/iam/v1/access_policies']) {
      expect(errorIn(await app.rest('GET', path, asBearer(await credential())))).toEqual(
        invalidAuthorisation,
      );
    }
  });

  it('Administration request with a token for another tenant, where the account has no role: an invalid authorisation code', async () => {
    const account = await accountWith(app, admin, 'view_only_admin');
    const claims = { clientId: account.id, tsgId: neighbour.tsgId };
    const token = await forgedToken(app, createSecrets(masterKey), new Date(), claims);
    expect(errorIn(await configs(token))).toEqual(invalidAuthorisation);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['wrong credentials', () => rejection({ ...seeded(), clientSecret: 'wrong' }), /^401/],
    ['no role', async () => rejection(await createAccount(app, admin)), /^400 unauthorized_client$/],
    ["a TSG outside the account's scope", () => rejection(seeded(), neighbour.tsgId), /^400 invalid_scope$/],
  ])('Token request with %s: request rejected', async (_what, request, expected) => {
    expect(await request()).toMatch(expected);
  });
});
