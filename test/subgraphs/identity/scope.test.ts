import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { apiKeyTypes, mayHold, scopes } from '../../../src/auth/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Listed = { scope: string; description: string; heldBy: string[]; grantable: boolean };

const catalogue = async (type?: string, key?: string): Promise<Listed[]> =>
  dataOf(
    await app.graphql(
      'query ($type: String) { scopeCatalogue(type: $type) { scope family verb description heldBy grantable } }',
      { type },
      key,
    ),
  ).scopeCatalogue;

const presets = async (type: string, key?: string) =>
  dataOf(
    await app.graphql(
      'query ($type: String!) { scopePresets(type: $type) { id name description scopes grantable } }',
      { type },
      key,
    ),
  ).scopePresets;

const tryScopes = (given: string[], type = 'workspace/service') =>
  app.rest('POST', `/v1/api-keys/${type}`, {
    key: app.adminKey,
    body: {
      name: 'x',
      scopes: given,
      ...(type !== 'organisation/service' && { workspace_id: app.workspaceId }),
    },
  });

describe('the catalogue of scopes', () => {
  it('has every scope with a sentence of its own', async () => {
    const listed = await catalogue();
    expect(listed.map(({ scope }) => scope)).toEqual(scopes.toSorted());
    expect(new Set(listed.map(({ description }) => description)).size).toBe(scopes.length);
    expect(listed.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
  });

  it.each(apiKeyTypes)('has for %s what a key of that type may hold', async (type) => {
    const listed = await catalogue(type);
    expect(listed.map(({ scope }) => scope)).toEqual(
      scopes.filter((scope) => mayHold(type, scope)).toSorted(),
    );
    expect(listed.every(({ heldBy }) => heldBy.includes(type))).toBe(true);
  });

  it('says which scopes the caller may give', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['logs.list', 'configs.read'] });
    const grantable = (await catalogue('workspace-user', key)).filter((entry) => entry.grantable);
    expect(grantable.map(({ scope }) => scope)).toEqual(['configs.read', 'logs.list']);
  });

  it('answers a key without any scope of administration, and nobody without a credential', async () => {
    const key = await makeKey(app, 'workspace-user', { only: ['models.list'] });
    const { status, body } = await app.rest('GET', '/v1/scopes?type=workspace-user', { key });
    expect(status).toBe(200);
    expect((body as { data: unknown[] }).data).toHaveLength((await catalogue('workspace-user')).length);
    expect((await app.rest('GET', '/v1/scopes', { key: null })).status).toBe(401);
  });

  it('refuses a type that is none', async () => {
    const { status, body } = await app.rest('GET', '/v1/scopes?type=admin', { key: app.adminKey });
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { param: 'type' } } });
  });
});

describe('presets', () => {
  it.each(apiKeyTypes)('for %s make keys as they are', async (type) => {
    for (const preset of await presets(type)) {
      expect(preset.scopes.filter((scope: string) => !mayHold(type, scope))).toEqual([]);
      const { status, body } = await tryScopes(preset.scopes, type.replace('-', '/'));
      expect({ preset: preset.id, status, body }).toMatchObject({ status: 200 });
    }
  });

  it('of an auditor change nothing', async () => {
    const found = (await presets('organisation-service')).find(
      ({ id }: { id: string }) => id === 'admin-read-only',
    );
    expect(found.scopes.filter((scope: string) => !/\.(list|read|view)$/.test(scope))).toEqual([]);
  });

  it('need a type', async () => {
    expect(errorOf(await app.graphql('{ scopePresets(type: "x") { id } }'))).toEqual({
      code: 'VALIDATION_FAILED',
      param: 'type',
    });
  });
});

describe('a scope that does not exist', () => {
  const messageOf = async (given: string) => {
    const { status, body } = await tryScopes(['logs.list', given]);
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { param: 'scopes[1]' } } });
    return (body as { error: { message: string } }).error.message;
  };

  it.each([
    ['config.read', 'configs.read'],
    ['completion.write', 'completions.write'],
    ['Logs:List', 'logs.list'],
    ['feedback-write', 'feedbacks.write'],
  ])('%s is named with %s', async (given, meant) => {
    const message = await messageOf(given);
    expect(message).toContain(`"${given}" is not a scope. Did you mean ${meant}`);
    expect(message).toContain('GET /v1/scopes');
  });

  it('is named without an offer where nothing is like it', async () => {
    expect(await messageOf('everything')).toBe(
      '"everything" is not a scope. GET /v1/scopes and the field scopeCatalogue list all of them.',
    );
  });

  it('is not repeated where it is a key', async () => {
    expect(await messageOf(app.adminKey)).not.toContain(app.adminKey);
  });
});

test('a scope of another type of key is refused with the type that can hold it', async () => {
  const { status, body } = await tryScopes(['completions.write'], 'organisation/service');
  expect({ status, body }).toMatchObject({
    status: 400,
    body: {
      error: {
        message:
          'A key of type organisation-service cannot hold the scope completions.write; one of type workspace-service or workspace-user can.',
      },
    },
  });
});
