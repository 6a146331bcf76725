import type { Model } from 'mongoose';
import { tsgId, uuid } from '../../../src/lib/ids.ts';
import { randomId } from '../../../src/runs/ids.ts';
import { subgraphs } from '../../../src/subgraphs/index.ts';
import type { TestApp } from '../../support/app.ts';
import type { FilledTenant } from '../../support/filled-tenant.ts';
import { changesOf } from './hints.ts';

export type Document = Record<string, unknown> & { _id: string };

/** Copies of what a tenant has, so that each call has a document of its own that nothing else depends on. */
export type Specimens = {
  /** How many kinds of a resource the tenant has: integrations of a workspace and of the organisation, say. */
  kinds(resource: string): Promise<number>;
  /** Stores a copy of the kind with this number; undefined when nothing is stored under the resource's name. */
  make(resource: string, kind: number): Promise<Document | undefined>;
  /** Takes the copies away again. */
  clear(): Promise<void>;
};

/** What documents point at their owners with; a copy keeps these. */
const owners = ['organisationId', 'workspaceId', 'tsgId'];

export function createSpecimens(app: TestApp, tenant: FilledTenant): Specimens {
  const resources = subgraphs.flatMap((subgraph) => subgraph.resources);

  const modelsOf = (resource: string): Model<unknown>[] =>
    resources.find(({ name }) => name === resource)?.models.map((model) => model(app.db)) ?? [];
  const modelOf = (resource: string): Model<unknown> | undefined => modelsOf(resource)[0];

  async function insert(model: Model<unknown>, document: Document): Promise<void> {
    await model.collection.insertOne(document as never);
    copies.set(model, [...(copies.get(model) ?? []), document._id]);
  }

  /** Copies what belongs to a document, as versions belong to a config; the copy then names these in place of the first ones. */
  async function copyParts(resource: string, original: Document, copy: Document): Promise<void> {
    const owner = `${resource}Id`;
    const named = Object.entries(copy).filter(([name]) => !owners.includes(name));
    for (const model of modelsOf(resource).slice(1)) {
      if (!(owner in model.schema.paths)) continue;
      const ids = named.map(([, value]) => value).filter((value) => typeof value === 'string');
      for (const part of await model.find({ [owner]: original._id, _id: { $in: ids } }).lean<Document[]>()) {
        const _id = fresh(part._id);
        await insert(model, { ...part, _id, [owner]: copy._id, workspaceId: copy.workspaceId });
        for (const [name, value] of named) if (value === part._id) copy[name] = _id;
      }
    }
  }

  const copies = new Map<Model<unknown>, string[]>();
  const known = new Map<string, Promise<Document[]>>();
  const originals = (resource: string): Promise<Document[]> => {
    const found = known.get(resource) ?? findOriginals(modelOf(resource));
    known.set(resource, found);
    return found;
  };

  async function findOriginals(model: Model<unknown> | undefined): Promise<Document[]> {
    if (!model) return [];
    const key = 'organisationId' in model.schema.paths ? 'organisationId' : '_id';
    const filter = { [key]: tenant.organisationId };
    const all = await model.find(filter).sort({ _id: 1 }).lean<Document[]>();
    if (all.length === 0) {
      throw new Error(
        `Fill ${model.collection.name} in test/support/filled-tenant.ts: the matrix copies it.`,
      );
    }
    // The first of each kind: what calls have made since may be barer.
    return [...new Map(all.reverse().map((document) => [kindOf(document), document])).values()];
  }

  return {
    kinds: async (resource) => (await originals(resource)).length,
    async make(resource, kind) {
      const original = (await originals(resource))[kind];
      const model = modelOf(resource);
      if (!original || !model) return undefined;
      const _id = fresh(original._id);
      const copy: Document = {
        ...original,
        ...freshMembers(model, original),
        ...(typeof original.workspaceId === 'string' && { workspaceId: tenant.workspaceId }),
        ...changesOf(tenant)[resource]?.(),
        ...partsOf(_id),
        _id,
      };
      await copyParts(resource, original, copy);
      await insert(model, copy);
      return copy;
    },
    async clear() {
      for (const [model, ids] of copies) await model.deleteMany({ _id: { $in: ids } });
      copies.clear();
    },
  };
}

const kindOf = ({ type, isDefault, workspaceId }: Document): string =>
  `${type} ${isDefault} ${workspaceId === null}`;

/** The members that no two documents may share. */
function freshMembers(model: Model<unknown>, document: Document): Record<string, unknown> {
  const unique = model.schema
    .indexes()
    .filter(([, options]) => options.unique)
    .flatMap(([members]) => Object.keys(members))
    .filter((name) => !owners.includes(name) && typeof document[name] === 'string');
  return Object.fromEntries(unique.map((name) => [name, fresh(document[name] as string)]));
}

let count = 0;

/** What the document of a file in a vector store says of its id. */
function partsOf(id: string): Record<string, unknown> {
  const [, fileId] = /^vs_\w+\/(file-\w+)$/.exec(id) ?? [];
  return fileId === undefined ? {} : { fileId };
}

/** Another value of the same shape. */
function fresh(value: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return uuid();
  if (/^\d{10}$/.test(value)) return tsgId();
  if (/^file-[0-9a-f]{32}$/.test(value)) return `file-${uuid().replaceAll('-', '')}`;
  const [, store, file] = /^(vs_\w+)\/(file-\w+)$/.exec(value) ?? [];
  if (file !== undefined) return `${store}/${fresh(file)}`;
  // What stands before the line says of which kind the object is.
  const [, prefix] = /^([a-z]+)_[0-9A-Za-z]{24}$/.exec(value) ?? [];
  if (prefix !== undefined) return randomId(prefix);
  return `x${++count}-${value}`;
}
