import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { makeReference, vaultInput } from '../../support/secret-managers/references.ts';
import { created } from '../../support/world.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const address = 'http://127.0.0.1:8';
const input = { name: 'Mapped', ai_provider_id: 'openai', create_default_provider: false };
const rest = (method: string, path: string, body?: object) =>
  app.rest(method, path, { body, key: app.adminKey });

it('mappings of an integration are shown, replaced and taken away, and keep their reference from being deleted', async () => {
  const { id, slug } = await makeReference(app, vaultInput(address));
  const mapping = {
    target_field: 'key',
    secret_reference_id: slug,
    secret_key: 'key',
    value_format: 'string',
  };
  const made = await created(app, '/v1/integrations', { ...input, secret_mappings: [mapping] }, app.adminKey);
  const path = `/v1/integrations/${made.slug}`;
  const shown = async () => ((await rest('GET', path)).body as { secret_mappings: unknown }).secret_mappings;
  expect(await shown()).toEqual([{ ...mapping, secret_reference_id: id }]);
  expect(await rest('DELETE', `/v1/secret-references/${slug}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'AB07', message: expect.stringContaining(made.slug) } },
  });
  const document = `query ($id: ID!) {
    integration(id: $id) { secretMappings { targetField secretReference { slug } } }
  }`;
  expect((await app.graphql(document, { id: made.id })).data.integration.secretMappings).toEqual([
    { targetField: 'key', secretReference: { slug } },
  ]);
  await rest('PUT', path, {
    secret_mappings: [{ target_field: 'configurations.openai_project', secret_reference_id: id }],
  });
  expect(await shown()).toEqual([
    {
      target_field: 'configurations.openai_project',
      secret_reference_id: id,
      secret_key: null,
      value_format: null,
    },
  ]);
  await rest('PUT', path, { name: 'Other' });
  expect(await shown()).toHaveLength(1);
  await rest('PUT', path, { secret_mappings: null });
  expect(await shown()).toEqual([]);
  expect((await rest('DELETE', `/v1/secret-references/${slug}`)).status).toBe(200);
});

it('mappings name fields of the credential, once each, and references that may be used there', async () => {
  const { slug } = await makeReference(app, vaultInput(address));
  const limited = await makeReference(app, vaultInput(address, { allowedWorkspaces: [] }));
  const others = await app.createTenant();
  const foreign = await makeReference(app, vaultInput(address), others.adminKey);
  const to = (target_field: string, secret_reference_id = slug) => ({ target_field, secret_reference_id });
  const refusal = async (secret_mappings: object[], change: object = {}) => {
    const { status, body } = await rest('POST', '/v1/integrations', { ...input, secret_mappings, ...change });
    return [status, (body as { error: { param: string } }).error.param];
  };
  const before = await app.db.collection('integrations').countDocuments();
  const field = [400, 'secret_mappings[0].target_field'];
  const reference = [400, 'secret_mappings[0].secret_reference_id'];
  expect(await refusal([to('name')])).toEqual(field);
  expect(await refusal([to('configurations.custom_host')])).toEqual(field);
  expect(await refusal([to('configurations.aws_region')])).toEqual(field);
  expect(
    await refusal([to('configurations.azure_resource_name')], { ai_provider_id: 'azure-openai' }),
  ).toEqual(field);
  expect(await refusal([to('key'), to('key')])).toEqual([400, 'secret_mappings[1].target_field']);
  expect(await refusal([to('key', 'nothing')])).toEqual(reference);
  expect(await refusal([to('key', foreign.id)])).toEqual(reference);
  expect(await refusal([to('key', limited.slug)], { workspace_id: app.workspaceId })).toEqual(reference);
  expect(await app.db.collection('integrations').countDocuments()).toBe(before);
});
