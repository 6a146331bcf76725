import type { TestApp } from './app.ts';

type Json = Record<string, any>;

export const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';

export type WireAnswer = { status: number; headers: Headers; body: any; events: Json[] };

const parse = (text: string): any => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The messages of a stream of events. */
export const eventsIn = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));

/** Posts bytes to an endpoint, with the workspace's key unless the headers say otherwise. */
export async function post(
  app: TestApp,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<WireAnswer> {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-gateway-api-key': app.workspaceKey,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const events = isStream ? eventsIn(text) : [];
  return {
    status: response.status,
    headers: response.headers,
    body: isStream ? events.at(-1) : parse(text),
    events,
  };
}

/** A request as clients of the modern era send it. */
export const modernMessage = (method: string, params: Json = {}, id: unknown = 1): Json => ({
  ...{ jsonrpc: '2.0', id, method },
  params: {
    ...params,
    _meta: {
      [`${META}protocolVersion`]: MODERN,
      [`${META}clientInfo`]: { name: 'test', version: '1' },
      [`${META}clientCapabilities`]: {},
      ...params._meta,
    },
  },
});

/** Sends such a request with the headers that belong to it. */
export function askModern(
  app: TestApp,
  slug: string,
  method: string,
  params: Json = {},
  headers: Record<string, string> = {},
): Promise<WireAnswer> {
  const name = params.name ?? params.uri;
  // Without a slug, all servers together are asked.
  return post(app, slug === '' ? '/mcp' : `/${slug}/mcp`, modernMessage(method, params), {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...headers,
  });
}

export const callModern = (app: TestApp, slug: string, name: string, given: Json = {}, headers = {}) =>
  askModern(app, slug, 'tools/call', { name, arguments: given }, headers);

export const legacyMessage = (method: string, params: Json = {}, id: unknown = 1): Json => ({
  ...{ jsonrpc: '2.0', id, method, params },
});

/** Opens a session as clients of the era with a handshake do; answers the headers of what follows. */
export async function openLegacy(
  app: TestApp,
  slug: string,
  given: { capabilities?: Json; version?: string; headers?: Record<string, string> } = {},
) {
  const { version = '2025-11-25', capabilities = {}, headers = {} } = given;
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: version, capabilities, clientInfo };
  const answer = await post(app, `/${slug}/mcp`, legacyMessage('initialize', params), headers);
  const id = answer.headers.get('mcp-session-id') ?? '';
  return {
    answer,
    headers: { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version } as Record<string, string>,
  };
}
