import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { type IsLinked, subjectOf } from '../relay/subject.ts';
import type { McpServerRecord, UsableCapability } from '../snapshot/index.ts';
import { sharedName } from './names.ts';

/** Several MCP servers as if they were one, and what stands behind each name. */
export type AggregateRecord = McpServerRecord & {
  readonly servers: readonly McpServerRecord[];
  /** The servers of tools and prompts, with their own names, by `<type> <shared name>`. */
  readonly places: ReadonlyMap<string, { server: McpServerRecord; name: string }>;
};

/** Views of servers that a process remembers: callers of one workspace mostly see the same ones. */
const records = new LRUCache<string, AggregateRecord>({ max: 200 });

/** Some servers of a workspace as one, made once for each text of them. */
export function aggregateOf(
  owner: Pick<McpServerRecord, 'organisationId' | 'workspaceId'>,
  servers: readonly McpServerRecord[],
): AggregateRecord {
  const texts = [owner.workspaceId, ...servers.map((server) => `${server.id} ${server.revision}`)];
  const revision = createHash('sha256').update(texts.join('\n')).digest('base64url');
  let record = records.get(revision);
  if (record === undefined) {
    record = made(owner, servers, revision);
    records.set(revision, record);
  }
  return record;
}

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
const server = {
  ...{ name: 'sluice', version: '1.0.0', title: 'Sluice', description: null, websiteUrl: null, icons: '[]' },
};

function made(
  { organisationId, workspaceId }: Pick<McpServerRecord, 'organisationId' | 'workspaceId'>,
  servers: readonly McpServerRecord[],
  revision: string,
): AggregateRecord {
  const places = new Map<string, { server: McpServerRecord; name: string }>();
  const named = (type: 'tool' | 'prompt'): UsableCapability[] => {
    const all = servers.flatMap((one) =>
      one.usable[type].map((capability) => {
        const name = sharedName(one.slug, capability.key);
        const place = `${type} ${name}`;
        const before = places.get(place);
        // Of two ways to read a name, the one with the longer slug counts.
        if (!before || before.server.slug.length < one.slug.length)
          places.set(place, { server: one, name: capability.key });
        return {
          one,
          shown: { ...capability, name, key: name, definition: { ...capability.definition, name } },
        };
      }),
    );
    return all.flatMap(({ one, shown }) =>
      places.get(`${type} ${shown.name}`)?.server === one ? [shown] : [],
    );
  };
  return {
    ...{ id: 'aggregate', slug: 'aggregate', integrationSlug: '', organisationId, workspaceId, revision },
    ...{ isGranted: true, defaultUserAccess: 'allow', users: new Map(), servers, places },
    upstream: {
      ...{ id: '', url: '', transport: 'http', authType: 'none', configurations: {}, mappedSecrets: [] },
    },
    hello: {
      ...{ era: 'modern', protocolVersion: null, capabilities, instructions: null, server, isStale: false },
    },
    usable: {
      tool: named('tool'),
      prompt: named('prompt'),
      resource: firstOf(servers, 'resource'),
      resource_template: firstOf(servers, 'resource_template'),
    },
    byPlace: new Map(),
    ...{ keptBack: new Set(), approvedFirst: new Set() },
  };
}

/** Addresses stay as they are: of several servers with one, the first has it. */
function firstOf(
  servers: readonly McpServerRecord[],
  type: 'resource' | 'resource_template',
): UsableCapability[] {
  const byKey = new Map<string, UsableCapability>();
  for (const { usable } of servers)
    for (const capability of usable[type])
      if (!byKey.has(capability.key)) byKey.set(capability.key, capability);
  return [...byKey.values()];
}

export const isAggregate = (record: McpServerRecord): record is AggregateRecord => 'servers' in record;

/** The server that a request is for, and params as that server knows them. Throws an RpcFailure for what nobody has. */
export function resolved(
  { servers, places }: AggregateRecord,
  method: string,
  params: JsonObject,
  isLinked: IsLinked,
): { server: McpServerRecord; params: JsonObject } {
  const { ref } = params;
  if (method === 'completion/complete' && isObject(ref) && ref.type === 'ref/prompt') {
    const place = placeFor(places, 'prompt', ref.name);
    return { server: place.server, params: { ...params, ref: { ...ref, name: place.name } } };
  }
  if (method === 'tools/call' || method === 'prompts/get') {
    const place = placeFor(places, method === 'tools/call' ? 'tool' : 'prompt', params.name);
    return { server: place.server, params: { ...params, name: place.name } };
  }
  const found = servers.find((one) => has(one, method, params, isLinked));
  if (!found) throw unknown('resource', params.uri);
  return { server: found, params };
}

/** Whether a list of one of the servers has a resource, or a template that it can be made of. */
export const isOffered = ({ servers }: AggregateRecord, params: JsonObject): boolean =>
  servers.some((one) => has(one, 'resources/read', params, () => false));

function placeFor(places: AggregateRecord['places'], type: string, name: unknown) {
  const place = places.get(`${type} ${String(name)}`);
  if (!place) throw unknown(type, name);
  return place;
}

const unknown = (what: string, name: unknown): RpcFailure =>
  new RpcFailure(rpc.invalidParams, `Unknown ${what}: ${String(name).slice(0, 256)}`);

function has(one: McpServerRecord, method: string, params: JsonObject, isLinked: IsLinked): boolean {
  try {
    subjectOf(one, method, params, isLinked);
    return true;
  } catch (error) {
    if (error instanceof RpcFailure) return false;
    throw error;
  }
}
