import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { decodedHeader } from '../exchange/era.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { parameterHeaders } from '../lines/to-upstream.ts';
import { type McpServerRecord, placeOf } from '../snapshot/index.ts';

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/**
 * Throws for a call whose `Mcp-Param-*` headers do not repeat the arguments that its tool marks for them: what stands in front of
 * a server and routes by headers would otherwise judge another call than the one that is made.
 */
export function requireParameterHeaders(
  server: McpServerRecord,
  { name, arguments: given }: JsonObject,
  headers: IncomingHttpHeaders,
): void {
  const schema = server.byPlace.get(placeOf('tool', String(name)))?.definition.inputSchema;
  if (!isObject(schema)) return;
  const marked = parameterHeaders(schema, given);
  for (const header in marked) {
    const value = marked[header] ?? '';
    const said = headerOf(headers, header)?.trim();
    if (said === undefined) throw mismatch(header, 'is missing');
    const decoded = decodedHeader(said);
    if (decoded === null || !isSame(decoded, decodedHeader(value) ?? value))
      throw mismatch(header, 'and the argument say different things');
  }
}

/** Numbers may be written in several ways. */
const isSame = (one: string, other: string): boolean =>
  one === other || (DECIMAL.test(one) && DECIMAL.test(other) && Number(one) === Number(other));

const mismatch = (header: string, problem: string): RpcFailure =>
  new RpcFailure(rpc.headerMismatch, `Header mismatch: ${header} ${problem}.`, {
    status: 400,
    data: { mismatch: { header } },
  });
