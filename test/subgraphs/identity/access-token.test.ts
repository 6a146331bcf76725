import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { uuid } from '../../../src/lib/ids.ts';
import { createSecrets } from '../../../src/storage/secrets.ts';
import { type TenantDocument, tenantModel } from '../../../src/subgraphs/identity/tenant/index.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { forgedToken } from '../../support/forged-token.ts';
import { type Account, identitiesOf } from '../../support/identities.ts';
import { dataOf, dump, ownTime } from '../support.ts';
import { asBearer, bearers, errorIn, invalid } from './bearer.ts';

const masterKey = randomBytes(32);
const secrets = createSecrets(masterKey);

let app: TestApp;
let neighbour: Tenant;
let make: ReturnType<typeof identitiesOf>;
let root: TenantDocument;

beforeAll(async () => {
  app = await startApp({ ENCRYPTION_KEY: masterKey.toString('base64') });
  neighbour = await app.createTenant();
  make = identitiesOf(app, secrets);
  root = (await tenantModel(app.db).findById(app.tsgId).lean<TenantDocument>()) as TenantDocument;
});
afterAll(() => app.stop());

const { tokenOf, refusalOf, get, whoIs } = bearers(() => app);

describe('administration', () => {
  const surfaces = ['/v2/configs', '/admin/v2/integrations', '/v2/admin/workspaces'];

  it('takes an access token on every surface, and at /v1 and in the graph', async () => {
    const token = await app.token();
    for (const path of [...surfaces, '/v1/configs']) {
      expect({ path, status: (await get(path, token)).status }).toEqual({ path, status: 200 });
    }
    expect(await whoIs(token)).toBe(app.organisationId);
  });

  it.each(surfaces)('takes no gateway key at %s', async (path) => {
    for (const key of [app.adminKey, app.workspaceKey, 'sl-nobody']) {
      expect(errorIn(await app.rest('GET', path, { key }))).toEqual(
        invalid(/access tokens, and no gateway keys/),
      );
      expect(errorIn(await get(path, key))).toEqual(invalid(/access tokens, and no gateway keys/));
    }
    expect(errorIn(await app.rest('GET', path, { key: null }))).toEqual(invalid(/Send an access token/));
  });

  it('changes nothing for a gateway key', async () => {
    const before = await dump(app, ownTime);
    for (const key of [app.adminKey, app.workspaceKey]) {
      const body = { name: 'Not made', config: { retry: { attempts: 1 } } };
      expect((await app.rest('POST', '/v2/configs', { key, body })).status).toBe(401);
    }
    expect(await dump(app, ownTime)).toBe(before);
  });

  it('routes a request to the tenant of its token, and to no other', async () => {
    const token = await app.token();
    const body = { name: 'Mine', config: { retry: { attempts: 1 } }, workspace_id: app.workspaceId };
    const made = await app.rest('POST', '/v2/configs', { ...asBearer(token), body });
    expect(made.status).toBe(200);
    const { id } = (made.body as { data: { id: string } }).data;
    const theirs = await app.token(neighbour);
    expect((await get(`/v2/configs/${id}`, token)).status).toBe(200);
    expect((await get(`/v2/configs/${id}`, theirs)).status).toBe(404);
    expect(JSON.stringify((await get('/v2/configs', theirs)).body)).not.toContain(id);
    expect(await whoIs(theirs)).toBe(neighbour.organisationId);
  });

  it('keeps the answers to one Idempotency-Key apart by workspace', async () => {
    const other = await make.workspace(root);
    const token = await app.token();
    const made = await Promise.all(
      [app.workspaceId, other].map(async (id) => {
        const headers = { 'x-gateway-workspace-id': id, 'idempotency-key': 'one-for-two' };
        const body = { name: 'Twice', config: { retry: { attempts: 1 } } };
        return (await app.rest('POST', '/v2/configs', { ...asBearer(token, headers), body })).body;
      }),
    );
    const [one, two] = made as { data: { id: string } }[];
    expect(one?.data.id).toEqual(expect.any(String));
    expect(two?.data.id).not.toBe(one?.data.id);
  });
});

describe('a token that is not valid', () => {
  const now = () => Date.now();
  const expectRefused = async (token: string, reason: RegExp) => {
    expect(errorIn(await get('/v2/configs', token))).toEqual(invalid(reason));
    const { status, body } = await get('/v1/configs', token);
    expect({ status, body }).toMatchObject({ status: 401, body: { error: { code: 'AB05' } } });
    const { errors } = await app.graphql('{ organisation { id } }', {}, token);
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  };

  it('is one that has expired, also one that was good before', async () => {
    await expectRefused(await forgedToken(app, secrets, new Date(now() - 901_000)), /has expired/);
    const short = await forgedToken(app, secrets, new Date(now() - 898_000));
    expect((await get('/v2/configs', short)).status).toBe(200);
    await eventually(() => expectRefused(short, /has expired/));
  });

  it('is one that was changed', async () => {
    const [head, body, signature = ''] = (await app.token()).split('.');
    const claims = { ...decodeJwt(`${head}.${body}.${signature}`), tsg_id: neighbour.tsgId };
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    await expectRefused(`${head}.${changed}.${signature}`, /is not valid/);
    await expectRefused(
      `${head}.${body}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
      /is not valid/,
    );
  });

  it.each<[string, object]>([
    ['without algorithm', { alg: 'none', typ: 'at+jwt' }],
    ['of another type', { alg: 'ES256', typ: 'jwt-of-nobody' }],
    ['without type', { alg: 'ES256' }],
  ])('is one %s', async (_what, change) => {
    const [head = '', body, signature] = (await app.token()).split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ kid, ...change })).toString('base64url');
    await expectRefused(`${changed}.${body}.${signature}`, /not valid/);
  });

  it('is one that another key signed, whatever key id it names', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const good = await app.token();
    const { kid } = JSON.parse(Buffer.from(good.split('.')[0] ?? '', 'base64url').toString());
    for (const named of [kid, 'x'.repeat(43), '../key', undefined]) {
      const forged = new SignJWT(decodeJwt(good)).setProtectedHeader({
        alg: 'ES256',
        typ: 'at+jwt',
        kid: named,
      });
      await expectRefused(await forged.sign(privateKey), /is not valid/);
    }
  });

  it('is one of more than eight kilobytes', async () => {
    const [head, , signature] = (await app.token()).split('.');
    await expectRefused(`${head}.${'a'.repeat(9000)}.${signature}`, /is not valid/);
  });

  it('is one of an account that does not exist, or of an earlier secret', async () => {
    await expectRefused(
      await forgedToken(app, secrets, new Date(), { clientId: uuid() }),
      /is gone, has a new secret/,
    );
    await expectRefused(
      await forgedToken(app, secrets, new Date(), { secretVersion: 7 }),
      /is gone, has a new secret/,
    );
    await expectRefused(
      await forgedToken(app, secrets, new Date(), { tsgId: '1000000000' }),
      /is gone, has a new secret/,
    );
  });
});

describe('a new secret', () => {
  it('ends the old one and its tokens', async () => {
    const robot = await make.account(root);
    await make.policy(robot, 'view_only_admin', root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const reset = 'mutation ($id: ID!) { resetServiceAccountSecret(id: $id) { clientSecret } }';
    const { clientSecret } = dataOf(
      await app.graphql(reset, { id: robot.clientId }, await app.token()),
    ).resetServiceAccountSecret;
    expect(await refusalOf(robot)).toBe('invalid_client');
    expect(errorIn(await get('/v2/configs', token))).toEqual(invalid(/is gone, has a new secret/));
    expect((await get('/v2/configs', await tokenOf({ ...robot, clientSecret }))).status).toBe(200);
  });
});

describe('the audit trail', () => {
  const refusals = (account: Account) =>
    app.db
      .collection('audit_logs')
      .find({ resourceType: 'access_token', userId: account.clientId })
      .sort({ timestamp: 1, _id: 1 })
      .toArray();

  it('has what was refused to an account that exists, without its secrets', async () => {
    const robot = await make.account(root);
    expect(await refusalOf({ ...robot, clientSecret: 'sl-a-wrong-secret-0123456789' })).toBe(
      'invalid_client',
    );
    expect(await refusalOf(robot, { _id: neighbour.tsgId })).toBe('invalid_scope');
    expect(await refusalOf(robot)).toBe('unauthorized_client');
    const entries = await eventually(async () => {
      const found = await refusals(robot);
      expect(found).toHaveLength(3);
      return found;
    });
    expect(entries.map(({ responseStatusCode }) => responseStatusCode)).toEqual([401, 400, 400]);
    expect(entries[1]).toMatchObject({
      organisationId: app.organisationId,
      workspaceId: null,
      userName: robot.principal,
      userType: 'service_account',
      action: 'create',
      outcome: 'refused',
      method: 'POST',
      uri: '/oauth2/access_token',
      requestBody: JSON.stringify({ grant_type: 'client_credentials', scope: `tsg_id:${neighbour.tsgId}` }),
      clientIp: '127.0.0.1',
    });
    const text = JSON.stringify(entries);
    for (const secret of [robot.clientSecret, 'a-wrong-secret']) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(`${robot.clientId}:${secret}`).toString('base64'));
    }
  });

  it('is not filled by whoever guesses: ten wrong secrets are in it, and what else is refused', async () => {
    const robot = await make.account(root);
    for (let guess = 0; guess < 15; guess++) await refusalOf({ ...robot, clientSecret: `wrong-${guess}` });
    expect(await refusalOf(robot)).toBe('unauthorized_client');
    const statuses = await eventually(async () => {
      const found = (await refusals(robot)).map(({ responseStatusCode }) => responseStatusCode);
      expect(found.at(-1)).toBe(400);
      return found;
    });
    expect(statuses).toEqual([...Array(10).fill(401), 400]);
  });

  it('has nothing of a success', async () => {
    const robot = await make.account(root);
    await make.policy(robot, 'view_only_admin', root);
    await tokenOf(robot);
    expect(await refusalOf({ ...robot, clientSecret: 'wrong' })).toBe('invalid_client');
    await eventually(async () => expect(await refusals(robot)).toHaveLength(1));
  });
});

describe('a client secret', () => {
  it('is nowhere in the database', async () => {
    await app.token();
    const text = await dump(app);
    expect(text).not.toContain(app.clientSecret);
    expect(text).toContain(secrets.hash(app.clientSecret));
  });
});
