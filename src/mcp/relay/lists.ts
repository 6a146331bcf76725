import { createHash } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import type { CapabilityType } from '../catalogue/index.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';

/** What one list of a server has, and which text of it this is. `isPerUser`: it may be another one after each sign-in. */
export type Listing = { items: readonly JsonObject[]; revision: string; isPerUser: boolean };

/** Lists by their methods. */
export const listMethods: Readonly<Record<string, { type: CapabilityType; member: string }>> = {
  'tools/list': { type: 'tool', member: 'tools' },
  'prompts/list': { type: 'prompt', member: 'prompts' },
  'resources/list': { type: 'resource', member: 'resources' },
  'resources/templates/list': { type: 'resource_template', member: 'resourceTemplates' },
};

const PAGE = 250;
/** Milliseconds for which callers may keep a list. */
const TTL_MS = 30_000;

/** One page of a list. Throws an RpcFailure for a cursor of another list, or of an older text of this one. */
export function pageOf(
  { era }: Pick<McpVisit, 'era'>,
  method: string,
  params: JsonObject,
  { items, revision, isPerUser }: Listing,
): JsonObject {
  const member = listMethods[method]?.member ?? '';
  const start = params.cursor === undefined ? 0 : startOf(params.cursor, `${method} ${revision}`);
  const end = start + PAGE;
  return {
    ...(era === 'modern' && { resultType: 'complete', ttlMs: isPerUser ? 0 : TTL_MS, cacheScope: 'private' }),
    [member]: items.slice(start, end),
    ...(end < items.length && { nextCursor: cursorOf(end, `${method} ${revision}`) }),
  };
}

const markOf = (list: string): string => createHash('sha256').update(list).digest('base64url').slice(0, 16);

const cursorOf = (start: number, list: string): string =>
  Buffer.from(JSON.stringify([start, markOf(list)])).toString('base64url');

function startOf(cursor: unknown, list: string): number {
  const [start, mark] = typeof cursor === 'string' && cursor.length <= 256 ? parsedCursor(cursor) : [];
  if (typeof start === 'number' && Number.isInteger(start) && start > 0 && mark === markOf(list))
    return start;
  throw new RpcFailure(rpc.invalidParams, 'Invalid cursor: begin the list anew.');
}

function parsedCursor(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    // A text that is no cursor.
    return [];
  }
}
