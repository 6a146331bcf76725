import type { GraphQLSchema } from 'graphql';
import { scopesFor } from '../../../src/auth/index.ts';
import type { Tenant } from '../../support/app.ts';
import type { CountedApp } from '../../support/counted-app.ts';
import { type FilledTenant, fillTenant } from '../../support/filled-tenant.ts';
import { setUpBy } from '../../support/installation.ts';
import { argumentsOf, type Values } from './arguments.ts';
import { type Callers, createCallers } from './callers.ts';
import { hints } from './hints.ts';
import type { RootField } from './root-fields.ts';
import { createSpecimens, type Document, type Specimens } from './specimens.ts';
import { type StoredDocuments, watchStored } from './stored.ts';

/** A tenant whose documents are called for, and those who call. */
export type World = {
  app: CountedApp;
  schema: GraphQLSchema;
  tenant: FilledTenant;
  /** All documents of the tenant. */
  stored(): Promise<StoredDocuments>;
  specimens: Specimens;
  callers: Callers;
  /** Another workspace of the same organisation, with a key of its own. */
  elsewhere: { workspaceId: string; key: string };
  /** Another tenant, who tries to change what it can name. */
  neighbour: Tenant;
  neighbours: Callers;
  /** One more that only reads: its audit trail does not tell of what it has tried. */
  reader: Tenant;
  readers: Callers;
};

export async function createWorld(app: CountedApp, schema: GraphQLSchema): Promise<World> {
  const tenant = await fillTenant(app, 2);
  await setUpBy(app, tenant);
  const neighbour = await app.createTenant();
  const reader = await app.createTenant();
  const workspace = await app.rest('POST', '/v1/admin/workspaces', {
    key: tenant.adminKey,
    body: { name: 'Elsewhere' },
  });
  const { slug } = workspace.body as { slug: string };
  const key = await app.rest('POST', '/v1/api-keys/workspace/service', {
    key: tenant.adminKey,
    body: { name: 'Elsewhere', workspace_id: slug, scopes: scopesFor('workspace-service') },
  });
  const stored = await app.db.collection('workspaces').findOne({ slug });
  return {
    app,
    schema,
    tenant,
    stored: watchStored(app, tenant),
    specimens: createSpecimens(app, tenant),
    callers: createCallers(app, tenant),
    elsewhere: { workspaceId: String(stored?._id), key: (key.body as { key: string }).key },
    neighbour,
    neighbours: createCallers(app, neighbour),
    reader,
    readers: createCallers(app, reader),
  };
}

/** Arguments of one call, and the documents that were made for it. */
export type Prepared = { values: Values; made: Document[] };

/** Which of the possible calls of a field to prepare. */
export type Variant = { kind: number; namesWorkspace: boolean };

const placeholder = /<([\w-]+)(?:\.(\w+))?>/g;

/** Makes what the arguments name, so that the call can succeed whatever calls went before. */
export async function prepare(world: World, root: RootField, variant: Variant): Promise<Prepared> {
  const { schema, tenant, specimens } = world;
  const template = argumentsOf(schema, root, { hints, namesWorkspace: variant.namesWorkspace });
  const ids = new Map([
    ['<workspace>', tenant.workspaceId],
    ['<organisation>', tenant.organisationId],
    ['<tenant>', tenant.tsgId],
  ]);
  const made = new Map<string, Document>();
  for (const [text, name = '', member = '_id'] of JSON.stringify(template).matchAll(placeholder)) {
    if (ids.has(text)) continue;
    const resource = name === 'own' ? root.resource : name;
    const document = made.get(name) ?? (await specimens.make(resource, name === 'own' ? variant.kind : 0));
    if (!document) {
      throw new Error(
        `${root.coordinate} names a ${resource}, which is no resource. Give the value in test/contract/access/hints.ts.`,
      );
    }
    made.set(name, document);
    ids.set(text, String(document[member]));
  }
  const text = JSON.stringify(template).replace(placeholder, (name) => ids.get(name) ?? '');
  return { values: JSON.parse(text), made: [...made.values()] };
}

/** Every kind of document that the field can name, with the workspace named and not. */
export async function variantsOf({ specimens }: World, { field, resource }: RootField): Promise<Variant[]> {
  const named = field.args.some(({ name }) => name === 'id');
  const kinds = named ? await specimens.kinds(resource) : 1;
  return Array.from({ length: Math.max(kinds, 1) }, (_, kind) => [
    { kind, namesWorkspace: true },
    { kind, namesWorkspace: false },
  ]).flat();
}
