import { isObject, type JsonObject } from '../../lib/json.ts';
import { type UpstreamConnection, UpstreamProblem } from '../upstream/index.ts';
import type { CapabilityType } from './documents.ts';

/** One thing that a server offers, as it wrote it. */
export type OfferedCapability = { type: CapabilityType; name: string; key: string; definition: JsonObject };

const MAX_PAGES = 50;
const MAX_ITEMS = 5000;
const MAX_NAME = 1024;
const MAX_KEY = 2048;
/** Characters of one definition as JSON. */
const MAX_DEFINITION = 262_144;
/** Levels from which on a definition is not even kept. */
const MAX_LEVELS = 2500;

type List = { type: CapabilityType; flag: string; method: string; member: string; key: string };

const lists: readonly List[] = [
  { type: 'tool', flag: 'tools', method: 'tools/list', member: 'tools', key: 'name' },
  { type: 'prompt', flag: 'prompts', method: 'prompts/list', member: 'prompts', key: 'name' },
  { type: 'resource', flag: 'resources', method: 'resources/list', member: 'resources', key: 'uri' },
  {
    type: 'resource_template',
    flag: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
  },
];

export type ServerOffers = {
  offers: OfferedCapability[];
  /** Milliseconds for which the server lets all of its lists be kept; null where it says nothing of it. */
  ttlMs: number | null;
};

/** Everything that a server offers, in its own order; what it does not declare is not asked for. */
export async function readOffers(server: UpstreamConnection): Promise<ServerOffers> {
  const offers: OfferedCapability[] = [];
  const ttls: number[] = [];
  for (const list of lists) {
    if (server.capabilities[list.flag] === undefined) continue;
    offers.push(...(await readList(server, list, ttls)));
  }
  // Of several under one key, calls would reach the first one.
  const byKey = new Map(offers.toReversed().map((offer) => [`${offer.type} ${offer.key}`, offer]));
  return { offers: [...byKey.values()].reverse(), ttlMs: ttls.length === 0 ? null : Math.min(...ttls) };
}

async function readList(
  server: UpstreamConnection,
  list: List,
  ttls: number[],
): Promise<OfferedCapability[]> {
  const offers: OfferedCapability[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES && offers.length < MAX_ITEMS; page += 1) {
    const result = await pageOf(server, list, cursor);
    const { [list.member]: items, ttlMs } = result;
    if (typeof ttlMs === 'number' && ttlMs >= 0) ttls.push(ttlMs);
    if (Array.isArray(items)) offers.push(...items.flatMap((item) => offerIn(item, list)));
    if (typeof result.nextCursor !== 'string' || result.nextCursor === cursor) break;
    cursor = result.nextCursor;
  }
  return offers.slice(0, MAX_ITEMS);
}

/** A server that declares resources need not know templates. */
async function pageOf(
  server: UpstreamConnection,
  { type, method }: List,
  cursor: unknown,
): Promise<JsonObject> {
  try {
    return await server.request(method, cursor === undefined ? {} : { cursor });
  } catch (error) {
    const isUnknown = error instanceof UpstreamProblem && error.fault === 'refused';
    if (type === 'resource_template' && isUnknown) return {};
    throw error;
  }
}

function offerIn(item: unknown, { type, key: member }: List): OfferedCapability[] {
  if (!isObject(item) || isDeeperThan(MAX_LEVELS, item)) return [];
  const key = item[member];
  const name = typeof item.name === 'string' && item.name !== '' ? item.name : key;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY) return [];
  if (typeof name !== 'string' || JSON.stringify(item).length > MAX_DEFINITION) return [];
  return [{ type, name: name.slice(0, MAX_NAME), key, definition: item }];
}

/** Walks level by level: what is too deep for a stack is what this is asked about. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < levels && level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return level.length > 0;
}
