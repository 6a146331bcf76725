import { GatewayError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { GraphContext } from '../../context.ts';
import type { BundleKind } from '../../types.generated.ts';
import { DEFAULT_WORKSPACE, type DocumentNames, type Kind, keyOf, type Present, pathText } from './kind.ts';
import { kinds } from './kinds/index.ts';
import { type BundleEntry, bundleEntryModel } from './model.ts';
import { inventedSource, valueAt, withValues } from './secrets.ts';

/** A resource with what documents have said of it. `seen`: what the graph answered, to be compared before a write. */
export type Stored = Present & { entry: BundleEntry | null; seen: JsonObject };

/** What is there of some kinds, by key. */
export type World = {
  names: DocumentNames;
  of(kind: BundleKind): ReadonlyMap<string, Stored>;
  /** Kinds that the credential may not list, or that this process does not serve. */
  closed: ReadonlyMap<BundleKind, GatewayError>;
};

const listOf = ({ list, selection }: Kind) => {
  const variables = list.isByWorkspace ? '$workspaceId: ID!, $page: Int!' : '$page: Int!';
  return `query (${variables}) { result: ${list.field} { total data { ${selection} } } }`;
};

/** Reads all resources of some kinds that the credential reaches. */
export async function readWorld(context: GraphContext, wanted: ReadonlySet<BundleKind>): Promise<World> {
  const needed = new Set<BundleKind>([
    ...wanted,
    'Workspace',
    ...(wanted.has('ApiKey') ? ['Config' as const] : []),
    ...(wanted.has('Provider') ? ['Integration' as const] : []),
  ]);
  const entries = await readEntries(context, [...needed]);
  const stored = new Map<BundleKind, ReadonlyMap<string, Stored>>();
  const nodes = new Map<BundleKind, JsonObject[]>();
  const closed = new Map<BundleKind, GatewayError>();
  const names = namesOf(context, nodes);
  for (const kind of kinds.filter(({ name }) => needed.has(name))) {
    try {
      nodes.set(kind.name, await readAll(context, kind, nodes.get('Workspace') ?? []));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'FORBIDDEN') throw error;
      closed.set(kind.name, error);
    }
    stored.set(kind.name, storedOf(kind, nodes.get(kind.name) ?? [], names, entries));
  }
  return { names, closed, of: (kind) => stored.get(kind) ?? new Map() };
}

/** The resources of a kind, oldest first. */
async function readAll(context: GraphContext, kind: Kind, workspaces: JsonObject[]): Promise<JsonObject[]> {
  if (!context.operations.knows(listOf(kind)))
    throw new GatewayError('FORBIDDEN', { message: `This process does not serve the kind ${kind.name}.` });
  if (!kind.list.isByWorkspace) return readList(context, kind, {});
  const all: JsonObject[] = [];
  for (const { id } of workspaces) all.push(...(await readList(context, kind, { workspaceId: id })));
  return all;
}

/** Resources of a kind in one workspace, or in the organisation, that are read at once. */
const MAX_OF_A_KIND = 20_000;

async function readList(context: GraphContext, kind: Kind, variables: JsonObject): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  for (let page = 0; ; page += 1) {
    const { total, data } = await context.operations.run<{ total: number; data: JsonObject[] }>(
      listOf(kind),
      { ...variables, page },
      context,
    );
    all.push(...data);
    if (all.length > MAX_OF_A_KIND)
      throw new GatewayError('VALIDATION_FAILED', {
        message: `There are more than ${MAX_OF_A_KIND} resources of the kind ${kind.name} in one place, as many as bundles can be about.`,
      });
    if (data.length < kind.list.pageSize || all.length >= total) return all.reverse();
  }
}

async function readEntries({ db, principal }: GraphContext, names: BundleKind[]) {
  const organisationId = principal?.organisationId ?? '';
  const found = await bundleEntryModel(db)
    .find({ organisationId, kind: { $in: names } })
    .lean<BundleEntry[]>();
  return new Map(found.map((entry) => [`${entry.kind} ${entry.resourceId}`, entry]));
}

function namesOf({ principal, identity }: GraphContext, nodes: Map<BundleKind, JsonObject[]>): DocumentNames {
  const workspace = (slug: string) => {
    if (slug !== DEFAULT_WORKSPACE) return slug;
    const found = nodes.get('Workspace')?.find(({ isDefault }) => isDefault === 1);
    return String(found?.slug ?? slug);
  };
  return {
    workspace,
    workspaceOrNone: (slug) => (typeof slug === 'string' ? workspace(slug) : null),
    config: (named) => String(nodes.get('Config')?.find(({ id }) => id === named)?.slug ?? named),
    tsgId: principal?.tsgId ?? '',
    serviceAccountDomain: identity.serviceAccountDomain,
  };
}

function storedOf(
  kind: Kind,
  nodes: JsonObject[],
  names: DocumentNames,
  entries: Map<string, BundleEntry>,
): Map<string, Stored> {
  const read = nodes.flatMap((node) => {
    const found = kind.read(node, names);
    return found ? [{ ...found, node, entry: entries.get(`${kind.name} ${node.id}`) ?? null }] : [];
  });
  const taken = new Set(read.flatMap(({ slug, entry }) => slug ?? entry?.slug ?? []));
  return new Map(
    read.map(({ slug, spec, node, entry }) => {
      const called = slug ?? entry?.slug ?? freeSlug(kind.slugOf?.(spec) ?? String(node.id), taken);
      const resource = { id: String(node.id), slug: called, node, entry, seen: spec };
      return [keyOf(kind, called, spec), { ...resource, ...withSources(kind, resource, spec) }];
    }),
  );
}

/** A slug made of a text, with a number behind it where others have it. */
function freeSlug(text: string, taken: Set<string>): string {
  const stem = text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 200);
  for (let count = 1; ; count += 1) {
    const slug = count === 1 && stem !== '' ? stem : `${stem || 'unnamed'}-${count}`;
    if (taken.has(slug)) continue;
    taken.add(slug);
    return slug;
  }
}

/** The spec with the source of each secret in the place of its mask. */
function withSources(
  kind: Kind,
  { slug, entry }: Pick<Stored, 'slug' | 'entry'>,
  spec: JsonObject,
): Pick<Stored, 'spec' | 'masks'> {
  const masked = (kind.secrets?.(spec) ?? []).flatMap((path) => {
    const mask = valueAt(spec, path);
    return typeof mask === 'string' ? [{ path, place: pathText(path), mask }] : [];
  });
  const sourceAt = (place: string) => entry?.secrets.find((secret) => secret.path === place)?.source;
  return {
    masks: new Map(masked.map(({ place, mask }) => [place, mask])),
    spec: withValues(
      spec,
      masked.map(({ path, place }) => [path, sourceAt(place) ?? inventedSource(kind, slug, path)] as const),
    ),
  };
}
