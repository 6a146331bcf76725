import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { auditRows } from '../support.ts';
import { type Bundles, bundlesOf, document, team, teamSecrets } from './bundles.ts';

const secrets = teamSecrets;
const holdsNoSecret = (text: string) => {
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
};

let source: TestApp;
let target: TestApp;
let from: Bundles;
let to: Bundles;

beforeAll(async () => {
  [source, target] = await Promise.all([startApp(), startApp()]);
  [from, to] = [bundlesOf(source, await source.token()), bundlesOf(target, await target.token())];
});
afterAll(() => Promise.all([source.stop(), target.stop()]));

describe('a bundle', () => {
  it('makes what it says, with one audit entry for each resource, and gives new secrets once', async () => {
    const plan = await from.plan(team);
    expect(plan.changes.map(({ action }: any) => action)).toEqual(team.map(() => 'create'));
    const { applied, failure, remaining, credentials } = await from.apply(team, {
      secrets,
      expectedDigest: plan.digest,
    });
    expect({ failure, remaining }).toEqual({ failure: null, remaining: 0 });
    expect(applied).toEqual(plan.changes);
    expect(credentials.map(({ kind, slug }: any) => `${kind} ${slug}`)).toEqual([
      'ServiceAccount robot',
      'ApiKey ci',
    ]);
    const key = credentials[1].secret;
    expect((await source.rest('GET', '/v1/configs', { key })).status).toBe(200);
    const created = await auditRows(source, { action: 'create' });
    expect(created.map(({ resourceType }) => resourceType).sort()).toEqual([
      'access_policy',
      'api_key',
      'config',
      'deployment',
      'guardrail',
      'integration',
      'provider',
      'rate_limit_policy',
      'role',
      'secret_reference',
      'service_account',
      'usage_limit_policy',
      'workspace',
    ]);
    holdsNoSecret(JSON.stringify(await auditRows(source, {})));
  });

  it('is unchanged afterwards, with and without the values of its secrets', async () => {
    for (const given of [{ secrets }, {}]) {
      const { changes } = await from.plan(team, given);
      expect(changes.filter(({ action }: any) => action !== 'unchanged')).toEqual([]);
    }
  });

  it('is the same after an export, an apply elsewhere, and another export', async () => {
    const text = await from.exportText();
    holdsNoSecret(text);
    const { failure, remaining } = await to.apply(JSON.parse(text), { secrets });
    expect({ failure, remaining }).toEqual({ failure: null, remaining: 0 });
    expect(await to.exportText()).toBe(text);
    const { changes } = await to.plan(JSON.parse(text), { secrets });
    expect(changes.filter(({ action }: any) => action !== 'unchanged')).toEqual([]);
  });

  it('keeps what a provider has from secret managers, and takes it back', async () => {
    const reference = document('SecretReference', 'vault', {
      name: 'Vault',
      managerType: 'hashicorp_vault',
      authConfig: {
        vault_auth_type: 'token',
        vault_addr: 'https://vault.example.com',
        vault_token: { env: 'VAULT' },
      },
      secretPath: 'secret/openai',
    });
    const provider = (spec: object) =>
      document('Provider', 'mapped', {
        workspace: 'ws-search',
        integration: 'main',
        name: 'Mapped',
        ...spec,
      });
    const secretMappings = {
      key: { secretReference: 'vault', secretKey: 'key' },
      openai_organization: { secretReference: 'vault', secretKey: 'organisation', valueFormat: 'string' },
    };
    const given = { secrets: { ...secrets, 'env:VAULT': 'hvs.value-of-a-bundle' } };
    const made = await from.apply([reference, provider({ secretMappings })], given);
    expect(made.failure).toBeNull();
    const text = await from.exportText();
    expect(JSON.parse(text)).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({ slug: 'mapped' }),
        spec: expect.objectContaining({ secretMappings }),
      }),
    );
    expect((await to.apply(JSON.parse(text), given)).failure).toBeNull();
    expect(await to.exportText()).toBe(text);
    const unknown = { key: { secretReference: 'nothing' } };
    expect((await from.refusedPlan([provider({ secretMappings: unknown })]))?.message).toContain('nothing');
    await to.apply([provider({})], given);
    const { changes } = await to.plan([provider({})], given);
    expect(changes.map(({ action }: any) => action)).toEqual(['unchanged']);
  });
});
