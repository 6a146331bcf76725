import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../src/errors/index.ts';
import type { Leases } from '../../src/storage/leases.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { entityTag, listsStrongly, listsWeakly, readTags } from './entity-tag.ts';

/** What a conditional write needs to know about the resource at its path. */
export type Current = {
  /** The same for all paths that may lead to the same resource. */
  place: string;
  /** The body that a GET of the path answers now. */
  read(): Promise<string>;
};

/** Milliseconds that a conditional write waits for others: longer than a process that died keeps its lease. */
const PATIENCE = 15_000;

/** True when the answer that the caller has, by its `If-None-Match`, is still the current one. */
export const isUnchanged = ({ 'if-none-match': given }: IncomingHttpHeaders, tag: string): boolean =>
  given !== undefined && listsWeakly(readTags(given), tag);

/**
 * Runs a write on the condition of its `If-Match` and `If-None-Match`: of several writes that expect the same state one
 * wins, the others throw PRECONDITION_FAILED. A write without a condition waits for nobody.
 */
export async function conditionally<T>(
  { db, request: { headers } }: GraphContext,
  leases: Leases,
  current: Current | null,
  write: () => Promise<T>,
): Promise<T> {
  const match = tagsOf(headers, 'if-match');
  const noneMatch = tagsOf(headers, 'if-none-match');
  if (!match && !noneMatch) return write();
  if (!current) {
    const param = match ? 'if-match' : 'if-none-match';
    throw new GatewayError('VALIDATION_FAILED', {
      message: `This request cannot be conditional: the path has no GET whose ETag ${param} could name.`,
      param,
    });
  }
  return leases.hold(db, current.place, PATIENCE, async () => {
    const tag = entityTag(await current.read());
    const holds = (!match || listsStrongly(match, tag)) && !(noneMatch && listsWeakly(noneMatch, tag));
    if (!holds) throw new GatewayError('PRECONDITION_FAILED');
    return write();
  });
}

function tagsOf(headers: IncomingHttpHeaders, param: 'if-match' | 'if-none-match') {
  const given = headers[param];
  if (given === undefined) return null;
  const tags = readTags(given);
  if (tags) return tags;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${param} must be * or a list of quoted ETags.`,
    param,
  });
}
