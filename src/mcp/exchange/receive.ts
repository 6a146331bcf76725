import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { membersOf } from '../../lib/json-text/as-read.ts';
import { isNestedDeeperThan } from '../../lib/storable.ts';
import { RpcFailure, type RpcId, rpc } from './failure.ts';

/** A message of a caller, as it came. */
export type CallerMessage =
  | { kind: 'request'; id: RpcId; method: string; params: JsonObject; value: JsonObject }
  | { kind: 'notification'; method: string; params: JsonObject; value: JsonObject }
  /** The answer to a request of the server. */
  | { kind: 'response'; id: RpcId; value: JsonObject };

const refuse = (code: number, message: string, status = 400): RpcFailure =>
  new RpcFailure(code, message, { status });

/** Throws for a content type that is no JSON. */
export function requireJson({ 'content-type': type = '' }: IncomingHttpHeaders): void {
  if (type !== 'application/json' && !/^application\/json\s*(?:;|$)/i.test(type.trim()))
    throw refuse(rpc.transport, 'Unsupported Media Type: content-type must be application/json.', 415);
}

/** Levels of a body: what is deeper cannot be written again. */
const MAX_DEPTH = 1000;

/** The JSON value of a body; throws for what is none. */
export function parsedBody(bytes: Buffer): unknown {
  const value = parsed(bytes);
  // A short body cannot be deep, and need not be walked.
  if (bytes.length > MAX_DEPTH && isNestedDeeperThan(MAX_DEPTH, value))
    throw refuse(
      rpc.invalidRequest,
      `Invalid request: the body is nested more than ${MAX_DEPTH} levels deep.`,
    );
  return value;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new RpcFailure(rpc.parse, 'Parse error: the body is no JSON.', { status: 400, cause });
  }
}

/** Members by which it is decided what a message may do. */
const deciding = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'name',
  'arguments',
  'uri',
  'ref',
  'task',
  'taskId',
  '_meta',
];
const inLowerCase = new Map(deciding.map((name) => [name.toLowerCase(), name]));

/**
 * Whether the bytes of a message mean the same to every reader as its value does here: of a member that stands twice, or whose name is
 * escaped, another reader might take what nobody here has looked at.
 */
export function isPlain(bytes: Buffer, value: unknown): boolean {
  const text = bytes.toString('latin1');
  if (text.includes('\\u00') || text.includes('\\/')) return false;
  // What stands twice is once in the value, and what stands in a text makes the first number larger: they are the same for neither.
  return namesIn(text) === membersOf(value);
}

const SPACE = 0x20;
const QUOTE = 0x22;

/** Names of members in a JSON text, and what looks like one in its texts. */
function namesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before--;
    if (text.charCodeAt(before) === QUOTE) count++;
  }
  return count;
}

/** Readers there are to whom Name is name. Throws for a member that only they would take for another one. */
function requireExactNames(object: JsonObject): void {
  for (const name in object) {
    const meant = inLowerCase.get(name.toLowerCase());
    if (meant !== undefined && meant !== name)
      throw refuse(rpc.invalidRequest, `Invalid request: the member ${meant} is written in another way.`);
  }
}

/** The message that a JSON value is; throws for what is none. */
export function messageOf(value: unknown): CallerMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0')
    throw refuse(rpc.invalidRequest, 'Invalid request: the body must be a message of JSON-RPC 2.0.');
  requireExactNames(value);
  const { id, method, params = {} } = value;
  if (id !== undefined && !isId(id))
    throw refuse(rpc.invalidRequest, 'Invalid request: id must be a text or a whole number.');
  if (method === undefined) {
    if (id === undefined || (!('result' in value) && !isObject(value.error)))
      throw refuse(
        rpc.invalidRequest,
        'Invalid request: a message has a method, or an id and a result or an error.',
      );
    return { kind: 'response', id, value };
  }
  if (typeof method !== 'string' || method.length > 256)
    throw refuse(rpc.invalidRequest, 'Invalid request: method must be a text.');
  if (!isObject(params)) throw refuse(rpc.invalidRequest, 'Invalid request: params must be an object.');
  requireExactNames(params);
  return id === undefined
    ? { kind: 'notification', method, params, value }
    : { kind: 'request', id, method, params, value };
}

/** A number that is no whole one, or too large to be kept exactly, would be answered under another id. */
const isId = (id: unknown): id is RpcId =>
  (typeof id === 'string' && id.length <= 1024) || Number.isSafeInteger(id);
