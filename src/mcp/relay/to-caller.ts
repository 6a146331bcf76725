import { isObject, type JsonObject } from '../../lib/json.ts';
import { rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { type Era, META, MODERN_ERRORS, SERVER_INFO } from '../upstream/index.ts';

/** Members of a result that callers of the older era have no use for. */
const modernMembers = ['resultType', 'ttlMs', 'cacheScope'];

/** A result as its caller gets it; the same object where nothing has to be different. */
export function resultFor(
  { era: callerEra, version }: Pick<McpVisit, 'era' | 'version'>,
  method: string,
  result: JsonObject,
  given: { era: Era; serverInfo: () => JsonObject },
): JsonObject {
  if (callerEra === 'modern') return modernResult(method, result, given);
  const plain = given.era === 'modern' ? legacyResult(result) : result;
  return withOldContent(plain, version);
}

function modernResult(
  method: string,
  result: JsonObject,
  { serverInfo }: { serverInfo: () => JsonObject },
): JsonObject {
  const meta = isObject(result._meta) ? result._meta : {};
  const isWhole =
    typeof result.resultType === 'string' &&
    SERVER_INFO in meta &&
    (method !== 'resources/read' || (result.cacheScope === 'private' && typeof result.ttlMs === 'number'));
  if (isWhole) return result;
  const ttlMs = typeof result.ttlMs === 'number' && result.ttlMs >= 0 ? result.ttlMs : 0;
  return {
    resultType: 'complete',
    ...result,
    ...(method === 'resources/read' && { ttlMs, cacheScope: 'private' }),
    _meta: { [SERVER_INFO]: serverInfo(), ...meta },
  };
}

function legacyResult(result: JsonObject): JsonObject {
  const plain = { ...result };
  for (const name of modernMembers) delete plain[name];
  if (isObject(result._meta)) {
    const meta = Object.entries(result._meta).filter(([name]) => !name.startsWith(META));
    if (meta.length > 0) plain._meta = Object.fromEntries(meta);
    else delete plain._meta;
  }
  return plain;
}

/** Content that a revision does not know yet becomes text. */
function withOldContent(result: JsonObject, version: string): JsonObject {
  if (version >= '2025-06-18' || !Array.isArray(result.content)) return result;
  const content = result.content.map((item) => (isObject(item) ? oldItem(item, version) : item));
  return { ...result, content };
}

function oldItem(item: JsonObject, version: string): JsonObject {
  if (item.type === 'resource_link') return { type: 'text', text: `${item.name ?? ''} ${item.uri}`.trim() };
  if (item.type === 'audio' && version < '2025-03-26')
    return { type: 'text', text: `[audio, ${item.mimeType ?? 'of an unknown type'}]` };
  return item;
}

/** The code under which a caller gets to know the error of a server. */
export function codeFor(era: Era, code: number): number {
  if (era === 'modern' && code === -32002) return rpc.invalidParams;
  // What a caller has not declared is for the caller to know; all else of this kind is between the gateway and the server.
  const isForCaller = era === 'modern' && code === rpc.missingCapability;
  return MODERN_ERRORS.has(code) && !isForCaller ? rpc.upstream : code;
}
