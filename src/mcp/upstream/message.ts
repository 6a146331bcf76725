import { isObject, type JsonObject } from '../../lib/json.ts';

/** A question or a notice (without an id) of JSON-RPC 2.0. */
export type RpcRequest = { jsonrpc: '2.0'; id?: string | number; method: string; params?: JsonObject };

export type RpcError = { code: number; message: string; data?: unknown };

/** An answer; exactly one of `result` and `error` is there. */
export type RpcResponse = { id: string | number | null; result?: JsonObject; error?: RpcError };

/** The answer that a JSON value is; null for anything else. */
export function responseIn(value: unknown): RpcResponse | null {
  if (!isObject(value) || value.jsonrpc !== '2.0') return null;
  const { id, result, error } = value;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return null;
  if (isObject(result) && error === undefined) return { id, result };
  if (!isObject(error) || typeof error.code !== 'number') return null;
  const message = typeof error.message === 'string' ? error.message : '';
  return { id, error: { code: error.code, message, data: error.data } };
}

/** Revisions of the protocol that the gateway speaks, the newest first. */
export const MODERN_VERSION = '2026-07-28';
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const LATEST_LEGACY = legacyVersions[0];

/** Errors that servers of the modern era alone answer. */
export const MODERN_ERRORS: ReadonlySet<number> = new Set([-32020, -32021, -32022]);
export const METHOD_NOT_FOUND = -32601;

export const clientInfo = { name: 'sluice', version: '1.0.0' } as const;

/** Before the names of what the protocol itself keeps in `_meta`. */
export const META = 'io.modelcontextprotocol/';

/** What every request of the modern era says of whoever sends it. */
export const modernMeta = {
  [`${META}protocolVersion`]: MODERN_VERSION,
  [`${META}clientInfo`]: clientInfo,
  [`${META}clientCapabilities`]: {},
};

export const SERVER_INFO = `${META}serverInfo`;

/** A text as a header takes it: one with other characters than ASCII's is wrapped. */
export const headerText = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
