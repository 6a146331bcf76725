import { isObject, type JsonObject } from '../../lib/json.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { clientInfo, type Era, headerText, META, MODERN_VERSION } from '../upstream/index.ts';
import { shownCapabilities } from './features.ts';

/** Before the names of what the gateway keeps for itself in `_meta`. */
const OWN_META = 'io.sluice/';
const CAPABILITIES = `${META}clientCapabilities`;
/** The envelope of the modern era, which a server of the other one has no use for. */
const envelope = [`${META}protocolVersion`, `${META}clientInfo`, CAPABILITIES];

/** Params as the server gets them; the same object where nothing has to be different. */
export function paramsFor(
  { era: callerEra, session, route }: Pick<McpVisit, 'era' | 'session' | 'route'>,
  { upstream: { configurations } }: Pick<McpServerRecord, 'upstream'>,
  said: JsonObject,
  era: Era,
): JsonObject {
  // Without a session of its own, or between eras, a caller could not ask for what comes of a task.
  const mayHaveTasks = callerEra === era && (era === 'modern' || session?.serverId != null);
  let params = mayHaveTasks ? said : without(said, ['task']);
  // The question was made out of an error of the server, which gets the request anew.
  if (callerEra === 'modern' && era === 'legacy')
    params = without(params, ['inputResponses', 'requestState']);
  const meta = isObject(params._meta) ? params._meta : {};
  const own = Object.keys(meta).filter((name) => name.startsWith(OWN_META));
  if (era === 'legacy') {
    const gone = callerEra === 'modern' ? [...envelope, ...own] : own;
    return gone.length === 0 ? params : withMeta(params, without(meta, gone));
  }
  if (callerEra === 'modern') {
    const declared = meta[CAPABILITIES];
    const shown = shownCapabilities(isObject(declared) ? declared : {}, configurations, {
      tasks: route !== 'aggregate',
    });
    if (shown === declared && own.length === 0) return params;
    return withMeta(params, { ...without(meta, own), [CAPABILITIES]: shown });
  }
  return withMeta(params, {
    ...without(meta, own),
    [`${META}protocolVersion`]: MODERN_VERSION,
    [`${META}clientInfo`]: clientInfo,
    [CAPABILITIES]: shownCapabilities(session?.capabilities ?? {}, configurations),
  });
}

/** The same object where it has none of the members. */
const without = (value: JsonObject, names: readonly string[]): JsonObject =>
  names.some((name) => name in value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
    : value;

function withMeta(params: JsonObject, meta: JsonObject): JsonObject {
  const { _meta: _before, ...rest } = params;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** The headers by which a server of the modern era routes a request. */
export function routingHeaders(
  method: string,
  params: JsonObject,
  inputSchema: unknown,
): Record<string, string> {
  const name = params.name ?? params.uri ?? params.taskId;
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
    ...(method === 'tools/call' && isObject(inputSchema) && parameterHeaders(inputSchema, params.arguments)),
  };
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
const MAX_DEPTH = 32;

const NO_HEADERS: Readonly<Record<string, string>> = {};
const marking = new WeakMap<JsonObject, boolean>();

/** Whether a schema, which stands in the catalogue, marks any argument: most mark none. */
function marksArguments(schema: JsonObject): boolean {
  let marks = marking.get(schema);
  if (marks === undefined) {
    marks = JSON.stringify(schema).includes('"x-mcp-header"');
    marking.set(schema, marks);
  }
  return marks;
}

/** `Mcp-Param-*` of the arguments that the schema marks with `x-mcp-header`. */
export const parameterHeaders = (schema: JsonObject, given: unknown): Readonly<Record<string, string>> =>
  marksArguments(schema) ? markedHeaders(schema, given) : NO_HEADERS;

function markedHeaders(schema: JsonObject, given: unknown, depth = 0): Record<string, string> {
  if (!isObject(given) || !isObject(schema.properties) || depth > MAX_DEPTH) return {};
  const headers: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isObject(property) || !Object.hasOwn(given, name)) continue;
    const header = property['x-mcp-header'];
    const text = typeof header === 'string' && HEADER_NAME.test(header) ? primitiveText(given[name]) : null;
    if (text !== null) headers[`mcp-param-${String(header).toLowerCase()}`] = headerText(text);
    Object.assign(headers, markedHeaders(property, given[name], depth + 1));
  }
  return headers;
}

function primitiveText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return null;
}
