import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { uuid } from '../../../src/lib/ids.ts';
import { createSecrets } from '../../../src/storage/secrets.ts';
import { accessPolicyModel } from '../../../src/subgraphs/identity/access-policy/index.ts';
import { roleModel } from '../../../src/subgraphs/identity/role/index.ts';
import { serviceAccountModel } from '../../../src/subgraphs/identity/service-account/index.ts';
import { type TenantDocument, tenantModel } from '../../../src/subgraphs/identity/tenant/index.ts';
import { workspaceModel } from '../../../src/subgraphs/identity/workspace/index.ts';
import { type Answer, startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { forgedToken } from '../../support/forged-token.ts';
import { type Account, identitiesOf } from '../../support/identities.ts';
import { dump } from '../support.ts';

const masterKey = randomBytes(32);
const secrets = createSecrets(masterKey);

let app: TestApp;
let neighbour: Tenant;
let make: ReturnType<typeof identitiesOf>;
/** The app's tenant, one below it, and one below that; a sibling of the second. */
let root: TenantDocument;
let child: TenantDocument;
let grandchild: TenantDocument;
let peer: TenantDocument;

beforeAll(async () => {
  app = await startApp({ ENCRYPTION_KEY: masterKey.toString('base64') });
  neighbour = await app.createTenant();
  make = identitiesOf(app, secrets);
  root = (await tenantModel(app.db).findById(app.tsgId).lean<TenantDocument>()) as TenantDocument;
  child = await make.tenant(root);
  grandchild = await make.tenant(child);
  peer = await make.tenant(root);
});
afterAll(() => app.stop());

/** The token of an account for a tenant, or the error that refuses it. */
const tokenOf = (account: Account, tenant: { _id: string } = { _id: account.tsgId }) =>
  app.token({ ...account, tsgId: tenant._id });
const refusalOf = (account: Account, tenant?: { _id: string }) =>
  tokenOf(account, tenant).then(
    () => 'none',
    (error: Error) => /"error":"(\w+)"/.exec(error.message)?.[1],
  );

const asBearer = (token: string, headers: Record<string, string> = {}) => ({
  key: null,
  headers: { authorization: `Bearer ${token}`, ...headers },
});
const get = (path: string, token: string, headers?: Record<string, string>): Promise<Answer> =>
  app.rest('GET', path, asBearer(token, headers));
const whoIs = async (token: string) =>
  (await app.graphql('{ organisation { id } }', {}, token)).data?.organisation.id;

const errorIn = ({ status, body }: Answer) => {
  const { error } = body as { error?: { code: string; message: string } };
  return { status, code: error?.code, message: error?.message };
};
const invalid = (reason: RegExp) => ({
  status: 401,
  code: 'AB05',
  message: expect.stringMatching(new RegExp(`^The authorisation code is not valid\\. .*${reason.source}`)),
});

/** Says what an operation on a resource of identities would say after it has written. */
const tellOthers = (kind: string) =>
  app.db
    .collection<{ _id: string }>('revisions')
    .updateOne({ _id: kind }, { $inc: { revision: 1 } }, { upsert: true });

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
    const before = await dump(app);
    for (const key of [app.adminKey, app.workspaceKey]) {
      const body = { name: 'Not made', config: { retry: { attempts: 1 } } };
      expect((await app.rest('POST', '/v2/configs', { key, body })).status).toBe(401);
    }
    expect(await dump(app)).toBe(before);
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
    ['of another type', { alg: 'ES256', typ: 'JWT' }],
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
    await expectRefused(await forgedToken(app, secrets, new Date(), { clientId: uuid() }), /is not valid/);
    await expectRefused(await forgedToken(app, secrets, new Date(), { secretVersion: 7 }), /is not valid/);
    await expectRefused(await forgedToken(app, secrets, new Date(), { tsgId: '1000000000' }), /is not valid/);
  });
});

describe('the hierarchy', () => {
  let onRoot: Account;
  let onChild: Account;
  beforeAll(async () => {
    onRoot = await make.account(root);
    onChild = await make.account(child);
    await make.policy(onRoot, 'view_only_admin', root);
    await make.policy(onChild, 'view_only_admin', child);
  });

  it('gives an account tokens for its tenant and every descendant, each good for that tenant alone', async () => {
    const reached = [];
    for (const tenant of [root, child, grandchild, peer])
      reached.push(await whoIs(await tokenOf(onRoot, tenant)));
    expect(reached).toEqual([root, child, grandchild, peer].map(({ organisationId }) => organisationId));
  });

  it('gives none for ancestors and peers', async () => {
    expect(await whoIs(await tokenOf(onChild, grandchild))).toBe(grandchild.organisationId);
    expect(await refusalOf(onChild, root)).toBe('invalid_scope');
    expect(await refusalOf(onChild, peer)).toBe('invalid_scope');
  });

  it('gives none to an account without any role', async () => {
    const without = await make.account(child);
    expect(await refusalOf(without)).toBe('unauthorized_client');
    expect(await refusalOf(without, grandchild)).toBe('unauthorized_client');
    expect(await refusalOf(without, peer)).toBe('invalid_scope');
  });

  it('does not hand a role on a descendant up', async () => {
    const account = await make.account(root);
    await make.policy(account, 'superuser', grandchild);
    expect(await refusalOf(account)).toBe('unauthorized_client');
    expect(await refusalOf(account, child)).toBe('unauthorized_client');
    expect(await whoIs(await tokenOf(account, grandchild))).toBe(grandchild.organisationId);
  });

  it('is overridden by a policy of the target that names the account, for that pairing', async () => {
    const stranger = await make.account(await make.tenant());
    expect(await refusalOf(stranger, child)).toBe('invalid_scope');
    await make.policy(stranger, 'view_only_admin', child);
    expect(await whoIs(await tokenOf(stranger, child))).toBe(child.organisationId);
    expect(await refusalOf(stranger, grandchild)).toBe('invalid_scope');
    expect(await refusalOf(stranger, peer)).toBe('invalid_scope');
    expect(await refusalOf(stranger)).toBe('unauthorized_client');
  });

  it('lists the roles that count in the tenant', async () => {
    await make.policy(onRoot, 'superuser', child);
    const { tsg_id, access } = decodeJwt(await tokenOf(onRoot, grandchild));
    expect({ tsg_id, access }).toEqual({
      tsg_id: grandchild._id,
      access: expect.arrayContaining([
        { role: 'view_only_admin', resource: `prn:${grandchild._id}::::` },
        { role: 'superuser', resource: `prn:${grandchild._id}::::` },
      ]),
    });
  });
});

describe('a role', () => {
  it('allows what it says and nothing else', async () => {
    const viewer = await make.account(root);
    await make.policy(viewer, 'view_only_admin', root);
    const token = await tokenOf(viewer);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const refused = await app.rest('POST', '/v2/configs', {
      ...asBearer(token),
      body: { name: 'Not made', config: { retry: { attempts: 1 } }, workspace_id: app.workspaceId },
    });
    expect(errorIn(refused)).toMatchObject({ status: 403, code: 'AB03' });
  });

  it('of the tenant counts by its permissions of this moment', async () => {
    const robot = await make.account(root);
    const slug = 'config-reader';
    const role = { _id: uuid(), tsgId: root._id, organisationId: root.organisationId, slug, name: 'Reader' };
    await roleModel(app.db).create({ ...role, permissions: ['configs.list'] });
    await make.policy(robot, `${slug}:${root._id}`, root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(200);
    await roleModel(app.db).updateOne({ _id: role._id }, { permissions: ['providers.list'] });
    await tellOthers('role');
    await eventually(async () => expect((await get('/v2/configs', token)).status).toBe(403));
    await roleModel(app.db).deleteOne({ _id: role._id });
    await tellOthers('role');
    await eventually(async () => expect((await get('/v2/configs', token)).status).toBe(401));
    expect(await refusalOf(robot)).toBe('unauthorized_client');
  });

  it('that is taken away is gone with the next request', async () => {
    const robot = await make.account(root);
    const policy = await make.policy(robot, 'view_only_admin', root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(200);
    await accessPolicyModel(app.db).deleteOne({ _id: policy });
    await tellOthers('access_policy');
    await eventually(async () =>
      expect(errorIn(await get('/v2/configs', token))).toEqual(invalid(/is not valid/)),
    );
    expect(await refusalOf(robot)).toBe('unauthorized_client');
  });

  it('counts from the next request on when it is given', async () => {
    const robot = await make.account(root);
    await make.policy(robot, 'organisation_member', root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(403);
    await make.policy(robot, 'view_only_admin', root);
    await tellOthers('access_policy');
    await eventually(async () => expect((await get('/v2/configs', token)).status).toBe(200));
  });
});

describe('a new secret', () => {
  it('ends the old one and its tokens', async () => {
    const robot = await make.account(root);
    await make.policy(robot, 'view_only_admin', root);
    const token = await tokenOf(robot);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const clientSecret = secrets.generateKey();
    const change = { secretHash: secrets.hash(clientSecret), secretVersion: 2 };
    await serviceAccountModel(app.db).updateOne({ _id: robot.clientId }, change);
    await tellOthers('service_account');
    expect(await refusalOf(robot)).toBe('invalid_client');
    await eventually(async () => expect((await get('/v2/configs', token)).status).toBe(401));
    expect((await get('/v2/configs', await tokenOf({ ...robot, clientSecret }))).status).toBe(200);
  });
});

describe('workspaces', () => {
  let first: string;
  let second: string;
  let robot: Account;
  const named = (workspace: string) => ({ 'x-gateway-workspace-id': workspace });
  const chat = (token: string, headers: Record<string, string> = {}) =>
    app.rest('POST', '/v1/chat/completions', {
      ...asBearer(token, headers),
      body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hello' }] },
    });

  beforeAll(async () => {
    [first, second] = [app.workspaceId, await make.workspace(root)];
    robot = await make.account(root);
    await make.policy(robot, 'workspace_admin', root, first);
  });

  it('bind an account that has roles on one alone, also on the data plane', async () => {
    const token = await tokenOf(robot);
    const { data } = await app.graphql('{ workspaces { data { id } } }', {}, token);
    expect(data.workspaces.data).toEqual([{ id: first }]);
    expect((await chat(token)).status).toBe(200);
    expect(errorIn(await get('/v2/configs', token, named(second)))).toMatchObject({
      status: 403,
      code: 'AB03',
    });
  });

  it('must be named by an account that has roles on several', async () => {
    const account = await make.account(root);
    await make.policy(account, 'workspace_admin', root, first);
    await make.policy(account, 'workspace_member', root, second);
    const token = await tokenOf(account);
    expect(errorIn(await get('/v2/configs', token))).toEqual({
      status: 403,
      code: 'AB03',
      message: expect.stringContaining('x-gateway-workspace-id'),
    });
    const create = (workspace: string) =>
      app.rest('POST', '/v2/configs', {
        ...asBearer(token, named(workspace)),
        body: { name: 'Here', config: { retry: { attempts: 1 } } },
      });
    expect((await create(first)).status).toBe(200);
    expect((await create(second)).status).toBe(403);
    expect((await get('/v2/configs', token, named(second))).status).toBe(200);
  });

  it('narrow a token for the whole tenant, by id or slug', async () => {
    const token = await app.token();
    expect(errorIn(await chat(token))).toMatchObject({
      status: 403,
      message: expect.stringContaining('x-gateway-workspace-id'),
    });
    const { slug = '' } = (await workspaceModel(app.db).findById(first)) ?? {};
    for (const name of [first, slug]) expect((await chat(token, named(name))).status).toBe(200);
    await app.logged();
    const logs = await app.db.collection('logs').find({ apiKeyId: app.clientId }).toArray();
    expect(new Set(logs.map(({ workspaceId }) => workspaceId))).toEqual(new Set([first]));
  });

  it('of another tenant, and those that nobody has, are the same to a token', async () => {
    const token = await app.token();
    for (const name of [neighbour.workspaceId, uuid(), 'x'.repeat(200)]) {
      expect(errorIn(await get('/v2/configs', token, named(name)))).toEqual(invalid(/is for another tenant/));
    }
  });

  it('never give more than a key of the workspace could hold', async () => {
    const account = await make.account(root);
    await make.policy(account, 'superuser', root, first);
    const token = await tokenOf(account);
    expect((await get('/v2/configs', token)).status).toBe(200);
    const body = { name: 'Not made', scopes: ['workspaces.create'] };
    const refused = await app.rest('POST', '/v2/api-keys/organisation/service', { ...asBearer(token), body });
    expect(errorIn(refused)).toMatchObject({ status: 403, code: 'AB03' });
    const made = await app.rest('POST', '/v2/admin/workspaces', {
      ...asBearer(token),
      body: { name: 'Not made' },
    });
    expect(made.status).toBe(403);
  });

  it('that are archived leave nothing to their accounts', async () => {
    const archived = await make.workspace(root);
    const account = await make.account(root);
    await make.policy(account, 'workspace_admin', root, archived);
    const token = await tokenOf(account);
    expect((await get('/v2/configs', token)).status).toBe(200);
    await workspaceModel(app.db).updateOne({ _id: archived }, { status: 'archived' });
    await tellOthers('workspace');
    await eventually(async () => expect((await get('/v2/configs', token)).status).toBe(401));
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
