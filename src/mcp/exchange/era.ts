import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { META, MODERN_VERSION } from '../upstream/index.ts';
import { RpcFailure, rpc } from './failure.ts';
import type { CallerMessage } from './receive.ts';

const VERSION = `${META}protocolVersion`;
const CAPABILITIES = `${META}clientCapabilities`;
/** Revisions without a handshake begin here; they are dates, so that their order is that of their texts. */
const isModern = (version: string | undefined): boolean => version !== undefined && version >= MODERN_VERSION;

/** Whether a message belongs to an era without a handshake: by its envelope, and else by the header. */
export function isModernMessage(message: CallerMessage, headers: IncomingHttpHeaders): boolean {
  if (message.kind === 'response') return false;
  const meta = message.params._meta;
  const claimed = isObject(meta) ? meta[VERSION] : undefined;
  const header = headerOf(headers, 'mcp-protocol-version')?.trim();
  if (message.method === 'initialize') return typeof claimed === 'string' && isModern(claimed);
  return claimed !== undefined || isModern(header);
}

const bad = (code: number, message: string, data?: unknown): RpcFailure =>
  new RpcFailure(code, message, { status: 400, ...(data !== undefined && { data }) });

/** Throws for a request of the modern era whose envelope or headers are not as they have to be. */
export function requireModernShape(
  message: CallerMessage & { kind: 'request' },
  headers: IncomingHttpHeaders,
): void {
  const { method, params } = message;
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[VERSION];
  if (typeof version !== 'string') throw bad(rpc.invalidParams, `Invalid params: _meta lacks ${VERSION}.`);
  if (!isObject(meta[CAPABILITIES]))
    throw bad(rpc.invalidParams, `Invalid params: _meta lacks ${CAPABILITIES}.`);
  const header = requiredHeader(headers, 'mcp-protocol-version');
  if (header !== version) throw mismatch('mcp-protocol-version', header, version);
  const named = requiredHeader(headers, 'mcp-method');
  if (named !== method) throw mismatch('mcp-method', named, method);
  requireName(method, params, headers);
  if (version !== MODERN_VERSION)
    // Versions that `server/discover` says, and no others: clients hold the two lists against each other.
    throw bad(rpc.unsupportedVersion, `Unsupported protocol version: ${version.slice(0, 64)}`, {
      supported: [MODERN_VERSION],
      requested: version.slice(0, 64),
    });
}

/** The member of `params` that `Mcp-Name` repeats. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function requireName(method: string, params: JsonObject, headers: IncomingHttpHeaders): void {
  const member = Object.hasOwn(nameMembers, method) ? nameMembers[method] : undefined;
  const name = member === undefined ? undefined : params[member];
  if (typeof name !== 'string') return;
  const given = requiredHeader(headers, 'mcp-name');
  const decoded = decodedHeader(given);
  if (decoded === null || decoded !== name) throw mismatch('mcp-name', given, name);
}

function requiredHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headerOf(headers, name)?.trim();
  if (value === undefined)
    throw bad(rpc.headerMismatch, `Header mismatch: the header ${name} is missing.`, {
      mismatch: { header: name },
    });
  return value;
}

const mismatch = (name: string, header: string, body: string): RpcFailure =>
  bad(rpc.headerMismatch, `Header mismatch: ${name} and the body say different things.`, {
    mismatch: { header: header.slice(0, 256), body: body.slice(0, 256) },
  });

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A header's text, of which other characters than ASCII's are wrapped; null where the wrapping is broken. */
export function decodedHeader(value: string): string | null {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (wrapped === undefined) return value;
  if (!BASE64.test(wrapped)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(wrapped, 'base64'));
  } catch {
    // The bytes are no UTF-8.
    return null;
  }
}
