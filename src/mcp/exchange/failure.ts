import type { JsonObject } from '../../lib/json.ts';
import type { McpCaller } from './caller.ts';

/** Codes of JSON-RPC errors that callers get. Those from -31404 to -31504 are the gateway's own. */
export const rpc = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  transport: -32000,
  sessionNotFound: -32001,
  urlElicitation: -32042,
  unauthenticated: -31401,
  forbidden: -31403,
  notFound: -31404,
  tooLarge: -31413,
  rateLimited: -31429,
  guardrail: -31446,
  upstream: -31502,
  unreachable: -31503,
  timeout: -31504,
} as const;

type Given = {
  data?: unknown;
  /** The HTTP status where no stream has begun; 200 where it is absent. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
  /** Who was refused, where the credential itself was valid. */
  caller?: RefusedCaller;
};

/** Of a caller what the log of a refusal needs. */
export type RefusedCaller = Pick<McpCaller, 'key' | 'authType' | 'clientId'>;

/** Why a request gets an error in the place of a result. The message is for the caller. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: RefusedCaller | null;

  constructor(code: number, message: string, given: Given = {}) {
    super(message, { cause: given.cause });
    this.name = 'RpcFailure';
    this.code = code;
    this.data = given.data;
    this.status = given.status ?? 200;
    this.headers = given.headers ?? {};
    this.caller = given.caller ?? null;
  }

  /** The `error` member of an answer. */
  get error(): JsonObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** An id that an answer may repeat. */
export type RpcId = string | number;

/** The text of an answer. An id that is not known is null in the older era, and absent in the modern one. */
export function errorText(failure: RpcFailure, id: RpcId | null | undefined): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), error: failure.error });
}
