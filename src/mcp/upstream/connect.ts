import type { JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import {
  clientInfo,
  headerText,
  LATEST_LEGACY,
  legacyVersions,
  METHOD_NOT_FOUND,
  MODERN_ERRORS,
  MODERN_VERSION,
  modernMeta,
  type RpcResponse,
  SERVER_INFO,
} from './message.ts';
import { notMcp, statusProblem, UpstreamProblem } from './problem.ts';
import type { Exchanged, UpstreamTransport } from './transport.ts';

export type Era = 'modern' | 'legacy';

/** What a server says of itself before anything is asked of it. */
export type ServerHello = {
  era: Era;
  protocolVersion: string;
  serverInfo: JsonObject;
  capabilities: JsonObject;
  instructions: string | null;
};

/** A server with which the handshake is done. */
export type UpstreamConnection = ServerHello & {
  /** The result of one request; rejects with an UpstreamProblem, `refused` where the server answers an error. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
};

type Headers = Readonly<Record<string, string>>;
/** A transport with the headers that every message has. */
export type UpstreamLine = { transport: UpstreamTransport; headers: Headers };

/**
 * Finds out in which era a server lives and does what that era begins with. `known`: the era that it was in last; a server
 * of the modern one is asked as such first in any case. Rejects with an UpstreamProblem.
 */
export async function connectUpstream(
  line: UpstreamLine,
  known: Era | null = null,
): Promise<UpstreamConnection> {
  if (known !== 'legacy') {
    const modern = await discover(line);
    if (modern) return modern;
  }
  return initialize(line);
}

/** A connection in the modern era; null where the server lives in the other one. */
async function discover(line: UpstreamLine): Promise<UpstreamConnection | null> {
  const exchanged = await ask(line, 'server/discover');
  const { status, response } = exchanged;
  if (status === 401 || status === 403 || status >= 500) throw statusProblem(status);
  if (status >= 300 && status < 400) throw statusProblem(status);
  const code = response?.error?.code;
  const isModern =
    code !== undefined && (MODERN_ERRORS.has(code) || (status === 404 && code === METHOD_NOT_FOUND));
  const versions = response?.result?.supportedVersions;
  const speaksModern = Array.isArray(versions) && versions.includes(MODERN_VERSION);
  if (!isModern && !speaksModern) return null;
  const supported = isObject(response?.error?.data) ? response.error.data.supported : undefined;
  if (Array.isArray(supported) && !supported.includes(MODERN_VERSION)) return null;
  const result = response?.result ?? {};
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    ...helloOf(result, meta[SERVER_INFO]),
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    request: async (method, params) => resultOf(await ask(line, method, params)),
    close: () => line.transport.close(line.headers),
  };
}

let lastId = 0;

const ask = (
  { transport, headers }: UpstreamLine,
  method: string,
  params: JsonObject = {},
): Promise<Exchanged> => {
  const id = ++lastId;
  const name = params.name ?? params.uri;
  return transport.exchange(
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta } },
    {
      ...headers,
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
    },
  );
};

async function initialize(line: UpstreamLine): Promise<UpstreamConnection> {
  const { transport } = line;
  const params = { protocolVersion: LATEST_LEGACY, capabilities: {}, clientInfo };
  const first = await transport.exchange(
    { jsonrpc: '2.0', id: ++lastId, method: 'initialize', params },
    line.headers,
  );
  const { status, response, sessionId } = first;
  if (status >= 300) throw response ? notMcp(status) : statusProblem(status);
  const result = response?.result;
  const protocolVersion = legacyVersions.find((version) => version === result?.protocolVersion);
  if (!result || protocolVersion === undefined) throw notMcp(status);
  const headers = {
    ...line.headers,
    'mcp-protocol-version': protocolVersion,
    ...(sessionId !== null && { 'mcp-session-id': sessionId }),
  };
  await transport.exchange({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return {
    ...helloOf(result, result.serverInfo),
    era: 'legacy',
    protocolVersion,
    request: async (method, given = {}) =>
      resultOf(await transport.exchange({ jsonrpc: '2.0', id: ++lastId, method, params: given }, headers)),
    close: () => transport.close(sessionId === null ? {} : headers),
  };
}

const helloOf = (result: JsonObject, info: unknown) => ({
  serverInfo: isObject(info) ? info : {},
  capabilities: isObject(result.capabilities) ? result.capabilities : {},
  instructions: typeof result.instructions === 'string' ? result.instructions : null,
});

function resultOf({ status, response }: Exchanged): JsonObject {
  if (response?.result) return response.result;
  if (response?.error) throw refusal(response, status);
  throw status >= 300 ? statusProblem(status) : notMcp(status);
}

/** What the server says of its error is not repeated: an administrator may not read other servers through it. */
const refusal = ({ error }: RpcResponse, status: number): UpstreamProblem =>
  new UpstreamProblem('refused', `the server answered the error ${error?.code}`, { status });
