import { createHash } from 'node:crypto';
import type { Collection } from 'mongodb';
import { grownCache } from '../../lib/grown-cache.ts';
import type { Changes } from '../../storage/changes.ts';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { SessionDocument } from './model.ts';
import type { McpSession, UpstreamSession } from './session.ts';

export type SessionStore = {
  /** Whether somebody has ended a session; known to every process within a second. */
  hasEnded(uuid: string): boolean;
  end(session: McpSession): Promise<void>;
  /** The upstream session that counts now, as far as this process knows. */
  current(session: McpSession): UpstreamSession | null;
  /** The same from the store. */
  read(session: McpSession): Promise<UpstreamSession | null>;
  /**
   * Puts a new upstream session in the place of a lost one, or of none. Answers the one that counts from now on: that of
   * another process, where it was faster.
   */
  replace(
    session: McpSession,
    lost: UpstreamSession | null,
    opened: UpstreamSession,
  ): Promise<UpstreamSession>;
  start(): Promise<void>;
};

type Given = {
  sessions(): Collection<SessionDocument>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  changes: Pick<Changes, 'publish' | 'subscribe'>;
  now(): Date;
};

/** Sessions that a process remembers as ended, or as moved to another upstream session. */
const REMEMBERED = 100_000;
/** Milliseconds that are looked back, since clocks of processes differ. */
const OVERLAP_MS = 60_000;

export function createSessionStore({ sessions, secrets, changes, now }: Given): SessionStore {
  const ended = grownCache<true>(REMEMBERED);
  const moved = grownCache<UpstreamSession>(REMEMBERED);
  let seenUntil = new Date(0);

  async function readEnded(): Promise<void> {
    const began = now();
    const marks = await sessions()
      .find({ endedAt: { $gt: seenUntil } }, { projection: { _id: 1 } })
      .sort({ endedAt: -1 })
      .limit(REMEMBERED)
      .toArray();
    for (const { _id } of marks) ended.set(_id, true);
    seenUntil = new Date(began.getTime() - OVERLAP_MS);
  }

  changes.subscribe(async (kind) => {
    if (kind === 'mcp_session') await readEnded();
  });

  const opened = ({ _id, upstream }: SessionDocument): UpstreamSession | null =>
    upstream === null ? null : (JSON.parse(secrets.decrypt(upstream, _id)) as UpstreamSession);

  function remember(document: SessionDocument | null): UpstreamSession | null {
    if (document === null) return null;
    if (document.endedAt !== null) ended.set(document._id, true);
    const upstream = opened(document);
    if (upstream) moved.set(document._id, upstream);
    return upstream;
  }

  const read = async (session: McpSession): Promise<UpstreamSession | null> =>
    remember(await sessions().findOne({ _id: session.uuid, organisationId: session.organisationId }));

  return {
    hasEnded: (uuid) => ended.has(uuid),
    async end(session) {
      await sessions().updateOne(
        { _id: session.uuid, organisationId: session.organisationId },
        { $set: { endedAt: now(), expiresAt: endOf(session) } },
        { upsert: true },
      );
      ended.set(session.uuid, true);
      await changes.publish('mcp_session');
    },
    current: (session) => moved.get(session.uuid) ?? session.upstream,
    read,
    async replace(session, lost, next) {
      const filter = {
        _id: session.uuid,
        organisationId: session.organisationId,
        upstreamHash: isFirst(session, lost) ? null : hashOf(lost),
      };
      const upstream = secrets.encrypt(JSON.stringify(next), session.uuid);
      const set = { upstream, upstreamHash: hashOf(next), expiresAt: endOf(session) };
      try {
        await sessions().updateOne(filter, { $set: set, $setOnInsert: { endedAt: null } }, { upsert: true });
      } catch (error) {
        // The document is there, with another upstream session: another process was faster.
        if (!isDuplicateBatch(error)) throw error;
      }
      return (await read(session)) ?? next;
    },
    start: readEnded,
  };
}

/** Whether the upstream session that is lost is the one that stands in the session's id, or none at all. */
const isFirst = (session: McpSession, lost: UpstreamSession | null): boolean =>
  lost === null || hashOf(lost) === hashOf(session.upstream);

const hashOf = (upstream: UpstreamSession | null): string =>
  createHash('sha256')
    .update(JSON.stringify([upstream?.version, upstream?.id]))
    .digest('base64url');

const endOf = ({ expiresAt }: McpSession): Date => new Date(expiresAt * 1000);
