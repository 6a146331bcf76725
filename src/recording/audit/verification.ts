import type { Db } from 'mongodb';
import { auditEntriesIn, auditHeadsIn, type ChainHead, inChain, type Sign } from './chain.ts';
import { type AuditBreak, ChainWalk, type LinkedEntry } from './chain-walk.ts';

export type ChainReport = {
  organisationId: string;
  /** Entries that have a place in the chain. */
  entries: number;
  /** Entries of versions without a chain: their number is held by the chain, what they say is not. */
  unchained: number;
  newest: ChainHead | null;
  /** In the order of the chain, as far as they are kept. */
  breaks: AuditBreak[];
  breakCount: number;
};

/** An entry's place and hash as somebody kept them outside the database. */
export type AuditNote = ChainHead & { organisationId: string };

const BATCH = 500;

/** Walks every chain once, also while it grows; the reports come in the order of the organisations' ids. */
export async function* verifyAuditTrail(
  db: Db,
  sign: Sign,
  notes: readonly AuditNote[] = [],
): AsyncGenerator<ChainReport> {
  const organisations = new Set<string>([
    ...(await auditEntriesIn(db).distinct('organisationId')),
    ...(await auditHeadsIn(db).distinct('_id')),
    ...notes.map(({ organisationId }) => organisationId),
  ]);
  for (const organisationId of [...organisations].sort()) {
    const own = notes.filter((note) => note.organisationId === organisationId);
    yield await verifyChain(db, sign, organisationId, own);
  }
}

async function verifyChain(
  db: Db,
  sign: Sign,
  organisationId: string,
  notes: readonly ChainHead[],
): Promise<ChainReport> {
  // Before the entries: the head may lag behind them, but never lead.
  const head = await auditHeadsIn(db).findOne({ _id: organisationId });
  const walk = new ChainWalk(sign, head, notes);
  const entries = auditEntriesIn(db)
    .find(inChain(organisationId), { batchSize: BATCH })
    .sort({ sequence: 1 });
  for await (const entry of entries) walk.visit(entry as LinkedEntry);
  const unchained = await auditEntriesIn(db).countDocuments({
    organisationId,
    $nor: [{ sequence: { $gt: 0 } }],
  });
  return { organisationId, unchained, ...walk.end(unchained) };
}
