import type { Db } from 'mongodb';
import { canonicalText } from '../../lib/canonical.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import type { Logger } from '../../lib/logger.ts';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import type { IdentifiedAuditEntry } from './entry.ts';

export const AUDIT_COLLECTION = 'audit_logs';
export const AUDIT_HEADS_COLLECTION = 'audit_heads';

/** The end of a chain: the number of its newest entry, from 1, and that entry's hash. */
export type ChainHead = { sequence: number; hash: string };

export type ChainedAuditEntry = IdentifiedAuditEntry &
  ChainHead & {
    /** Null in the first entry. */
    previousHash: string | null;
    /** In the first entry: how many of the organisation's entries are older than the chain. */
    unchainedBefore?: number;
  };

/** An entry as it may lie in the store: those of versions without a chain have no place in one. */
export type StoredAuditEntry = IdentifiedAuditEntry & Partial<ChainedAuditEntry>;

/** By organisation; written after the entry, so that it may name an older one than the newest, but never one that is missing. */
export type StoredHead = ChainHead & { _id: string };

/** Keyed hash of a text, which nobody can make who has only the database. */
export type Sign = (text: string) => string;

/** Chains of entries, one an organisation, which show whether an entry was changed, removed or slipped in. */
export type AuditChain = {
  /** Resolves when the store has the entries, each once, however often they are given. */
  append(entries: readonly IdentifiedAuditEntry[]): Promise<void>;
  /** Resolves when nothing is under way. */
  settle(): Promise<void>;
};

type Turn = {
  entries: readonly IdentifiedAuditEntry[];
  resolve(): void;
  reject(error: unknown): void;
};

/** Tries before an append is given up. One is lost whenever another process was faster, and then that one got on. */
const MAX_TRIES = 1000;
/** Chains whose end is kept in memory, so that an append is one insert. */
const KNOWN_HEADS = 5000;

/** What an entry's `hash` must be: of all its other members, `previousHash` among them. */
export function entryHash(sign: Sign, entry: object): string {
  const { hash: _hash, ...members } = entry as Partial<ChainHead>;
  return sign(canonicalText(members));
}

export const auditEntriesIn = (db: Db) => db.collection<StoredAuditEntry>(AUDIT_COLLECTION);
export const auditHeadsIn = (db: Db) => db.collection<StoredHead>(AUDIT_HEADS_COLLECTION);

/** A query for the entries that have a place in the chain; served by the index that keeps each place unique. */
export const inChain = (organisationId: string, after = 0) => ({ organisationId, sequence: { $gt: after } });

/** Appends to the chains, together with other processes. What comes while an append is under way goes with the next. */
export function createAuditChain(options: {
  db: () => Db;
  sign: Sign;
  /** Hears of the newest entry after each append. */
  onHead?: (organisationId: string, head: ChainHead) => void;
  log: Logger;
}): AuditChain {
  const { db, sign, onHead, log } = options;
  const heads = grownCache<ChainHead>(KNOWN_HEADS);
  const queues = new Map<string, Turn[]>();
  const working = new Set<Promise<void>>();

  function enqueue(organisationId: string, entries: readonly IdentifiedAuditEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = { entries, resolve, reject };
      const queue = queues.get(organisationId);
      if (queue) {
        queue.push(turn);
        return;
      }
      queues.set(organisationId, [turn]);
      const work = workOff(organisationId).finally(() => working.delete(work));
      working.add(work);
    });
  }

  async function workOff(organisationId: string): Promise<void> {
    const queue = queues.get(organisationId) ?? [];
    while (queue.length > 0) {
      const turns = queue.splice(0);
      try {
        const head = await appendToOne(
          organisationId,
          turns.flatMap(({ entries }) => entries),
        );
        for (const { resolve } of turns) resolve();
        onHead?.(organisationId, head);
        await noteHead(organisationId, head);
      } catch (error) {
        heads.delete(organisationId);
        // Those who came meanwhile would only wait for the same database.
        for (const { reject } of [...turns, ...queue.splice(0)]) reject(error);
      }
    }
    queues.delete(organisationId);
  }

  async function appendToOne(
    organisationId: string,
    entries: readonly IdentifiedAuditEntry[],
  ): Promise<ChainHead> {
    let missing = entries;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const head = heads.get(organisationId) ?? (await readHead(organisationId));
      if (head && missing.length === 0) return head;
      const linked = head
        ? link(sign, head, missing)
        : link(sign, null, missing, await auditEntriesIn(db()).countDocuments({ organisationId }));
      try {
        await auditEntriesIn(db()).insertMany(linked);
        const { sequence, hash } = linked.at(-1) as ChainedAuditEntry;
        heads.set(organisationId, { sequence, hash });
        return { sequence, hash };
      } catch (error) {
        if (!isDuplicateBatch(error)) throw error;
        // The place is taken by another process or, when the answer to an earlier try got lost, by these entries.
        heads.delete(organisationId);
        missing = await withoutStored(missing);
      }
    }
    throw new Error('The audit chain found no free place for its entries.');
  }

  /** The greater of what the entries and the head say: after an entry that somebody removed the gap stays visible. */
  async function readHead(organisationId: string): Promise<ChainHead | null> {
    const newest = await auditEntriesIn(db()).findOne(inChain(organisationId), {
      sort: { sequence: -1 },
      projection: { sequence: 1, hash: 1 },
    });
    const noted = await auditHeadsIn(db()).findOne({ _id: organisationId });
    const known = (noted?.sequence ?? 0) > (newest?.sequence ?? 0) ? noted : newest;
    return known ? { sequence: known.sequence as number, hash: known.hash as string } : null;
  }

  async function withoutStored(entries: readonly IdentifiedAuditEntry[]) {
    const ids = entries.map(({ _id }) => _id);
    const stored = await auditEntriesIn(db())
      .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
      .toArray();
    const known = new Set(stored.map(({ _id }) => _id));
    return entries.filter(({ _id }) => !known.has(_id));
  }

  async function noteHead(organisationId: string, { sequence, hash }: ChainHead): Promise<void> {
    try {
      await auditHeadsIn(db()).updateOne(
        { _id: organisationId, sequence: { $lt: sequence } },
        { $set: { sequence, hash } },
        { upsert: true },
      );
    } catch (error) {
      // Another process has noted a later one.
      if (!isDuplicateBatch(error)) log.warn({ error }, 'The head of an audit chain could not be noted yet.');
    }
  }

  return {
    async append(entries) {
      const byOrganisation = Map.groupBy(entries, ({ organisationId }) => organisationId);
      await Promise.all([...byOrganisation].map(([organisationId, own]) => enqueue(organisationId, own)));
    },
    async settle() {
      await Promise.all(working);
    },
  };
}

function link(
  sign: Sign,
  head: ChainHead | null,
  entries: readonly IdentifiedAuditEntry[],
  unchainedBefore = 0,
): ChainedAuditEntry[] {
  let { sequence, hash }: { sequence: number; hash: string | null } = head ?? { sequence: 0, hash: null };
  return entries.map((entry) => {
    const members = {
      beforeDigest: null,
      afterDigest: null,
      ...entry,
      sequence: ++sequence,
      previousHash: hash,
      ...(sequence === 1 && { unchainedBefore }),
    };
    hash = entryHash(sign, members);
    return { ...members, hash };
  });
}
