import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf } from '../support.ts';
import {
  accountWith,
  createAccount,
  createNeighbour,
  createPolicy,
  principalOf,
  tokenOf,
} from './accounts.ts';
import { describeTokenAccess } from './token-access.ts';

let app: TestApp;
let admin: string;
let neighbour: Tenant & { token: string };
let subject: { id: string };

beforeAll(async () => {
  app = await startApp();
  admin = await app.token();
  neighbour = await createNeighbour(app);
  subject = await createAccount(app, admin, 'subject');
});
afterAll(() => app.stop());

const createDocument = `mutation ($input: CreateServiceAccountInput!) {
  createServiceAccount(input: $input) { id object serviceAccount { id name displayName description tsgId } }
}`;
const tryCreate = (input: object, key = admin) => app.graphql(createDocument, { input }, key);
const updateDocument = `mutation ($id: ID!, $description: String) {
  updateServiceAccount(id: $id, input: { description: $description }) { id description }
}`;
const resetDocument =
  'mutation ($id: ID!) { resetServiceAccountSecret(id: $id) { id clientSecret serviceAccount { id } } }';
const deleteDocument = 'mutation ($id: ID!) { deleteServiceAccount(id: $id) }';
const reset = (id: string, key = admin) => app.graphql(resetDocument, { id }, key);
const remove = (id: string, key = admin) => app.graphql(deleteDocument, { id }, key);
const whoAmI = (token: string) => app.graphql('{ organisation { id } }', {}, token);
const root = () => `prn:${app.tsgId}::::`;

describeTokenAccess(() => ({ app, admin, neighbour }), 'iam.service_account', {
  createServiceAccount: {
    document: createDocument,
    variables: () => ({ input: { name: 'refused' } }),
    audit: 'service_account.create',
  },
  serviceAccount: {
    document: 'query ($id: ID!) { serviceAccount(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    addressed: true,
  },
  serviceAccounts: { document: '{ serviceAccounts { total } }' },
  updateServiceAccount: {
    document: updateDocument,
    variables: () => ({ id: subject.id, description: 'changed' }),
    audit: 'service_account.update',
    addressed: true,
  },
  resetServiceAccountSecret: {
    document: resetDocument,
    variables: () => ({ id: subject.id }),
    audit: 'service_account.reset_secret',
    addressed: true,
  },
  deleteServiceAccount: {
    document: deleteDocument,
    variables: () => ({ id: subject.id }),
    audit: 'service_account.delete',
    addressed: true,
  },
});

describe('a service account', () => {
  it('is made, read, changed and deleted', async () => {
    const made = dataOf(await tryCreate({ name: 'nightly.build', description: 'd' })).createServiceAccount;
    const { id } = made;
    const account = {
      id,
      name: 'nightly.build',
      displayName: principalOf('nightly.build', app.tsgId),
      description: 'd',
      tsgId: app.tsgId,
    };
    expect(made).toEqual({ id, object: 'service_account', serviceAccount: account });
    const read = 'query ($id: ID!) { serviceAccount(id: $id) { id name displayName description tsgId } }';
    expect(dataOf(await app.graphql(read, { id }, admin)).serviceAccount).toEqual(account);
    const { updateServiceAccount } = dataOf(
      await app.graphql(updateDocument, { id, description: null }, admin),
    );
    expect(updateServiceAccount).toEqual({ id, description: null });
    expect(dataOf(await remove(id)).deleteServiceAccount).toBe(id);
    expect(errorOf(await remove(id)).code).toBe('NOT_FOUND');
    const rows = await auditRows(app, { resourceType: 'service_account', targetId: id, outcome: 'success' });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  it('is listed in its own tenant, by name and in order', async () => {
    await createAccount(app, admin, 'list-a');
    await createAccount(app, admin, 'list-b');
    const document = `query ($name: String) {
      serviceAccounts(name: $name, sort: { field: name, direction: asc }) { total data { name } }
    }`;
    const listed = async (key: string, name: string) =>
      dataOf(await app.graphql(document, { name }, key)).serviceAccounts;
    expect(await listed(admin, 'LIST-')).toEqual({
      total: 2,
      data: [{ name: 'list-a' }, { name: 'list-b' }],
    });
    expect(await listed(neighbour.token, 'list-')).toEqual({ total: 0, data: [] });
  });

  it.each([
    ['no name', '', 'input.name'],
    ['a name that is too long', 'a'.repeat(64), 'input.name'],
    ['capital letters', 'CI', 'input.name'],
    ['an at sign', 'ci@home', 'input.name'],
    ['a leading dot', '.ci', 'input.name'],
  ])('is refused with %s', async (_what, name, param) => {
    const before = await dumpResources(app);
    expect(errorOf(await tryCreate({ name }))).toEqual({ code: 'VALIDATION_FAILED', param });
    expect(await dumpResources(app)).toBe(before);
  });

  it('has a name of its own in its tenant', async () => {
    await createAccount(app, admin, 'twice');
    expect(errorOf(await tryCreate({ name: 'twice' }))).toEqual({ code: 'ALREADY_EXISTS', param: 'name' });
    await createAccount(app, neighbour.token, 'twice');
  });

  it('shows its secret once, and nothing keeps it', async () => {
    const { clientSecret } = await createAccount(app, admin);
    const { clientSecret: second } = dataOf(await reset(subject.id)).resetServiceAccountSecret;
    const stored = await dump(app);
    expect(stored).not.toContain(clientSecret);
    expect(stored).not.toContain(second);
  });
});

describe('the credentials of a service account', () => {
  it('change with its secret: the old one and old tokens stop working at once', async () => {
    const account = await accountWith(app, admin, 'view_only_admin');
    dataOf(await whoAmI(account.token));
    const { clientSecret } = dataOf(await reset(account.id)).resetServiceAccountSecret;
    expect(errorOf(await whoAmI(account.token)).code).toBe('UNAUTHENTICATED');
    await expect(tokenOf(app, account)).rejects.toThrow('No access token');
    dataOf(await whoAmI(await tokenOf(app, { ...account, clientSecret })));
  });

  it('end with it, and its roles do not pass to the next one of its name', async () => {
    const account = await accountWith(app, admin, 'view_only_admin');
    await remove(account.id);
    expect(errorOf(await whoAmI(account.token)).code).toBe('UNAUTHENTICATED');
    const name = account.displayName.split('@')[0];
    const again = await createAccount(app, admin, name);
    await expect(tokenOf(app, again)).rejects.toThrow('No access token');
  });

  it('are not given to somebody who holds less than the account', async () => {
    const clerk = await accountWith(app, admin, ['iam.service_account', 'logs.list']);
    const before = await dumpResources(app);
    expect(errorOf(await reset(app.clientId, clerk.token)).code).toBe('FORBIDDEN');
    expect(await dumpResources(app)).toBe(before);
    const equal = await accountWith(app, admin, ['logs.list']);
    dataOf(await reset(equal.id, clerk.token));
  });

  it('end only by whom the account does not outrank, who alone changes it', async () => {
    const clerk = await accountWith(app, admin, ['iam.service_account', 'logs.list']);
    const before = await dumpResources(app);
    const change = { id: app.clientId, description: 'changed' };
    for (const answer of [
      await remove(app.clientId, clerk.token),
      await app.graphql(updateDocument, change, clerk.token),
    ]) {
      expect(errorOf(answer).code).toBe('FORBIDDEN');
      expect(answer.errors?.[0]?.message).toMatch(/it lacks .*, .* and \d+ more\.$/);
    }
    expect(await dumpResources(app)).toBe(before);
    const equal = await accountWith(app, admin, ['logs.list']);
    dataOf(await app.graphql(updateDocument, { id: equal.id, description: 'changed' }, clerk.token));
    dataOf(await remove(equal.id, clerk.token));
  });

  it('are not given for a name that policies await with more than the caller holds', async () => {
    const clerk = await accountWith(app, admin, ['iam.service_account']);
    const principal = principalOf('awaited', app.tsgId);
    await createPolicy(app, admin, { principal, resource: root(), role: 'superuser' });
    expect(errorOf(await tryCreate({ name: 'awaited' }, clerk.token)).code).toBe('FORBIDDEN');
    const account = await createAccount(app, admin, 'awaited');
    dataOf(await whoAmI(await tokenOf(app, account)));
  });
});

describe('the last administrator of a root tenant', () => {
  it('cannot be deleted', async () => {
    const before = await dumpResources(app);
    expect(errorOf(await remove(neighbour.clientId, neighbour.token)).code).toBe('IN_USE');
    expect(await dumpResources(app)).toBe(before);
  });

  it('is left over of several that are deleted at the same time', async () => {
    const tenant = await createNeighbour(app);
    const { tsgId } = tenant;
    const other = await accountWith(app, tenant.token, 'superuser', { tsgId });
    const answers = await Promise.all([tenant.clientId, other.id].map((id) => remove(id, tenant.token)));
    expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(1);
    const left = [tenant, { clientId: other.id, clientSecret: other.clientSecret, tsgId }];
    const tokens = await Promise.allSettled(left.map((account) => app.token(account)));
    expect(tokens.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
