import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { makeReference, vaultInput } from '../../support/secret-managers/references.ts';
import { created } from '../../support/world.ts';
import { makeKey } from '../support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const address = 'http://127.0.0.1:8';
const rest = (method: string, path: string, body?: object, key = app.workspaceKey) =>
  app.rest(method, path, { body, key });
const reference = (change: object = {}) => makeReference(app, vaultInput(address, change));

async function integration(kind = 'openai'): Promise<string> {
  const input = { name: 'Shared', ai_provider_id: kind, create_default_provider: false };
  return (await created(app, '/v1/integrations', input, app.adminKey)).id;
}

const faces = [
  {
    path: '/v1/providers',
    prefix: 'configurations',
    input: async (kind?: string) => ({ name: 'Own', integration_id: await integration(kind) }),
  },
  {
    path: '/v1/virtual-keys',
    prefix: 'model_config',
    input: async (kind = 'openai') => ({ name: 'Own', provider: kind }),
  },
];
type Face = (typeof faces)[number];

const to = (target_field: string, secret_reference_id: string, more: object = {}) => ({
  target_field,
  secret_reference_id,
  ...more,
});
const slugOf = (body: unknown) => {
  const { slug, data } = body as { slug?: string; data?: { slug: string } };
  return slug ?? data?.slug;
};
const make = async ({ path, input }: Face, secret_mappings: object[], kind?: string) => {
  const { status, body } = await rest('POST', path, { ...(await input(kind)), secret_mappings });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return `${path}/${slugOf(body)}`;
};
const shown = async (path: string) =>
  ((await rest('GET', path)).body as { secret_mappings: unknown }).secret_mappings;

it.each(faces)(
  'mappings at $path are shown, replaced and taken away, and keep their reference',
  async (face) => {
    const { id, slug } = await reference();
    const mapping = to('key', slug, { secret_key: 'key', value_format: 'string' });
    const path = await make(face, [mapping]);
    expect(await shown(path)).toEqual([{ ...mapping, secret_reference_id: id }]);
    expect(await rest('DELETE', `/v1/secret-references/${slug}`, undefined, app.adminKey)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining(`the providers ${path.split('/').at(-1)}`) } },
    });
    const field = `${face.prefix}.openai_project`;
    expect((await rest('PUT', path, { secret_mappings: [to(field, id)] })).status).toBe(200);
    const replaced = [to(field, id, { secret_key: null, value_format: null })];
    expect(await shown(path)).toEqual(replaced);
    await rest('PUT', path, { name: 'Other' });
    expect(await shown(path)).toEqual(replaced);
    await rest('PUT', path, { secret_mappings: null });
    expect(await shown(path)).toEqual([]);
    expect((await rest('DELETE', `/v1/secret-references/${slug}`, undefined, app.adminKey)).status).toBe(200);
  },
);

it.each(faces)(
  'mappings at $path name what may be filled, once, and references of the workspace',
  async (face) => {
    const { slug } = await reference();
    const limited = await reference({ allowedWorkspaces: [] });
    const others = await app.createTenant();
    const foreign = await makeReference(app, vaultInput(address), others.adminKey);
    const before = await app.db.collection('providers').countDocuments();
    const refusal = async (method: string, path: string, body: object) => {
      const answer = await rest(method, path, body);
      const { error, data } = answer.body as { error?: { param: string }; data?: { message: string } };
      return [answer.status, error?.param ?? data?.message];
    };
    const field = 'secret_mappings[0].target_field';
    const named = 'secret_mappings[0].secret_reference_id';
    const wrong: [object[], string, string?][] = [
      [[to('name', slug)], field],
      [[to(`${face.prefix}.custom_host`, slug)], field],
      [[to(`${face.prefix}.aws_region`, slug)], field, 'bedrock'],
      [[to(`${face.prefix}.azure_resource_name`, slug)], field, 'azure-openai'],
      [[to('key', slug), to('key', slug)], 'secret_mappings[1].target_field'],
      [[to('key', 'nothing')], named],
      [[to('key', foreign.id)], named],
      [[to('key', limited.slug)], named],
    ];
    const path = await make(face, []);
    for (const [secret_mappings, param, kind] of wrong) {
      const body = { ...(await face.input(kind)), secret_mappings };
      expect(await refusal('POST', face.path, body)).toEqual([400, expect.stringContaining(param)]);
      if (!kind)
        expect(await refusal('PUT', path, { secret_mappings })).toEqual([
          400,
          expect.stringContaining(param),
        ]);
    }
    expect(await shown(path)).toEqual([]);
    expect(await app.db.collection('providers').countDocuments()).toBe(before + 1);
  },
);

it('one store: a virtual key and its provider show the same mapping, each under its own name', async () => {
  const { slug } = await reference();
  const path = await make(faces[1] as Face, [to('model_config.apiVersion', slug)], 'azure-openai');
  expect(await shown(path)).toMatchObject([{ target_field: 'model_config.apiVersion' }]);
  expect(await shown(path.replace('virtual-keys', 'providers'))).toMatchObject([
    { target_field: 'configurations.azure_api_version' },
  ]);
});

it('over a shared integration, what is neither secret nor for a request to choose stays as it is', async () => {
  const { slug } = await reference();
  const own = await make(faces[1] as Face, [to('model_config.aws_role_arn', slug)], 'bedrock');
  expect(await shown(own)).toMatchObject([{ target_field: 'model_config.aws_role_arn' }]);
  const body = {
    ...(await (faces[0] as Face).input('bedrock')),
    secret_mappings: [to('configurations.aws_role_arn', slug)],
  };
  expect(await rest('POST', '/v1/providers', body)).toMatchObject({
    status: 400,
    body: { error: { param: 'secret_mappings[0].target_field' } },
  });
});

it('without the scope, and from another tenant, nothing changes', async () => {
  const { slug } = await reference();
  const path = await make(faces[0] as Face, []);
  const reader = await makeKey(app, 'workspace-service', { only: ['providers.read'] });
  const body = { secret_mappings: [to('key', slug)] };
  expect((await rest('PUT', path, body, reader)).status).toBe(403);
  const { workspaceKey } = await app.createTenant();
  expect((await rest('PUT', path, body, workspaceKey)).status).toBe(404);
  expect(await shown(path)).toEqual([]);
});

it('the graph follows a mapping to its reference', async () => {
  const { slug } = await reference();
  const path = await make(faces[1] as Face, [to('key', slug)]);
  const id = path.split('/').at(-1);
  const document = `query ($id: ID!, $workspaceId: ID!) {
    virtualKey(id: $id, workspaceId: $workspaceId) { secretMappings { secretReference { slug } } }
    provider(id: $id, workspaceId: $workspaceId) { secretMappings { secretReference { slug } } }
  }`;
  const { data } = await app.graphql(document, { id, workspaceId: app.workspaceId } as never, app.adminKey);
  const secretMappings = [{ secretReference: { slug } }];
  expect(data).toEqual({ virtualKey: { secretMappings }, provider: { secretMappings } });
});
