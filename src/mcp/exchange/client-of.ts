import { isObject, type JsonObject } from '../../lib/json.ts';
import { META } from '../upstream/index.ts';
import type { McpVisit } from './visit.ts';

/** A request, whose client says who it is in the way of its era. */
type Asked = { visit: McpVisit; method: string; params: JsonObject };

const MAX_NAME = 128;
const MAX_VERSION = 64;

/** What the client of a call says of itself, for the log; null where it says nothing, and for a model that calls tools. */
export function clientOf({ visit, method, params }: Asked): {
  clientName: string | null;
  clientVersion: string | null;
} {
  const isOfCaller = visit.route === 'endpoint' || visit.route === 'aggregate';
  const { name, version } = isOfCaller ? saidBy({ visit, method, params }) : {};
  return { clientName: cut(name, MAX_NAME), clientVersion: cut(version, MAX_VERSION) };
}

function saidBy({ visit, method, params }: Asked): JsonObject {
  if (visit.session) return visit.session.clientInfo;
  const meta = isObject(params._meta) ? params._meta : {};
  const said = method === 'initialize' ? params.clientInfo : meta[`${META}clientInfo`];
  return isObject(said) ? said : {};
}

const cut = (value: unknown, length: number): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, length) : null;
