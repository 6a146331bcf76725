import { createHash } from 'node:crypto';
import type { Collection } from 'mongodb';
import { grownCache } from '../../lib/grown-cache.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { callerKey, type McpCaller } from '../exchange/caller.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { LinkDocument } from './model.ts';

/** Resources that results have named, which whoever got such a result may read though no list has them. */
export type ResourceLinks = {
  /** Notes what a result names for its caller, before the caller can ask for it at another process; null where that is nothing new. */
  note(server: McpServerRecord, caller: McpCaller, result: JsonObject): Promise<void> | null;
  /** Whether this process knows that a caller was named a resource of a server. */
  knows(server: McpServerRecord, caller: McpCaller, uri: string): boolean;
  /** Looks for what another process knows; answers whether that is anything about one of the servers. */
  recall(servers: readonly McpServerRecord[], caller: McpCaller, uri: string): Promise<boolean>;
};

/** Links of one result that count, and characters of each. */
const MAX_LINKS = 1000;
const MAX_URI = 8192;
/** Milliseconds for which a link is good, and after which a process writes it anew. */
const LIFE_MS = 24 * 3_600_000;
const AGAIN_MS = LIFE_MS / 2;
const REMEMBERED = 50_000;

export function createResourceLinks(
  links: () => Collection<LinkDocument>,
  log: Logger,
  now: () => Date,
): ResourceLinks {
  const known = grownCache<true>(REMEMBERED, { ttl: AGAIN_MS });

  async function write(ids: readonly string[], organisationId: string): Promise<void> {
    const expiresAt = new Date(now().getTime() + LIFE_MS);
    try {
      await links().bulkWrite(
        ids.map((_id) => ({
          updateOne: { filter: { _id }, update: { $set: { organisationId, expiresAt } }, upsert: true },
        })),
        { ordered: false },
      );
    } catch (error) {
      // The caller has a result; what it names can be read at this process all the same.
      log.warn({ error }, 'Resources that a result names could not be noted for other processes.');
    }
  }

  return {
    note(server, caller, { content }) {
      const ids = linksIn(content)
        .map((uri) => idOf(server, caller, uri))
        .filter((id) => !known.has(id));
      if (ids.length === 0) return null;
      for (const id of ids) known.set(id, true);
      return write([...new Set(ids)], server.organisationId);
    },
    knows: (server, caller, uri) => known.has(idOf(server, caller, uri)),
    async recall(servers, caller, uri) {
      if (uri.length > MAX_URI) return false;
      const ids = servers.map((server) => idOf(server, caller, uri));
      const { organisationId } = caller.key.principal;
      const found = await links()
        .find({ _id: { $in: ids }, organisationId, expiresAt: { $gt: now() } })
        .project<Pick<LinkDocument, '_id'>>({ _id: 1 })
        .toArray();
      for (const { _id } of found) known.set(_id, true);
      return found.length > 0;
    },
  };
}

const linksIn = (content: unknown): string[] =>
  (Array.isArray(content) ? content : [])
    .flatMap((item) => (isObject(item) && item.type === 'resource_link' ? [item.uri] : []))
    .filter((uri): uri is string => typeof uri === 'string' && uri.length <= MAX_URI)
    .slice(0, MAX_LINKS);

/** Whose link to what it is; the address itself, which may hold a secret, is not stored. */
const idOf = ({ id, upstream }: McpServerRecord, caller: McpCaller, uri: string): string =>
  createHash('sha256')
    .update(JSON.stringify([id, upstream.id, upstream.url, callerKey(caller), uri]))
    .digest('base64url');
