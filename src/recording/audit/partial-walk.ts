import type { Db } from 'mongodb';
import { auditEntriesIn, auditHeadsIn, type ChainHead, inChain, type Sign } from './chain.ts';
import { type AuditBreak, ChainWalk, type LinkedEntry } from './chain-walk.ts';

/** What a walk over a part of one chain found. */
export type PartialReport = {
  /** The last entry that was looked at; `after` itself where there was none. */
  verifiedTo: number;
  /** The newest entry there is, or should be. */
  newest: number;
  breaks: AuditBreak[];
  /** The breaks that were found, of which `breaks` has the first. */
  breakCount: number;
};

/** Entries that are hashed before other work gets its turn. */
const TURN = 200;

/** Looks at up to `limit` entries of a chain behind the place `after`; entries without a number are left to a whole walk. */
export async function verifyPart(
  db: Db,
  sign: Sign,
  { organisationId, after, limit }: { organisationId: string; after: number; limit: number },
): Promise<PartialReport> {
  const entries = auditEntriesIn(db);
  // Before the entries: the head may lag behind them, but never lead.
  const head = await auditHeadsIn(db).findOne({ _id: organisationId });
  const start = after === 0 ? null : await entries.findOne({ organisationId, sequence: after });
  const last = await entries.findOne(inChain(organisationId), {
    sort: { sequence: -1 },
    projection: { sequence: 1 },
  });
  const newest = Math.max(last?.sequence ?? 0, head?.sequence ?? 0);
  const from: ChainHead | null = after === 0 ? null : { sequence: after, hash: start?.hash ?? '' };
  const isLast = after + limit >= newest;
  // A mark behind the part says nothing of it.
  const walk = new ChainWalk(sign, isLast ? head : null, [], from);
  let verifiedTo = after;
  let count = 0;
  const part = { ...inChain(organisationId, after), ...{ sequence: { $gt: after, $lte: after + limit } } };
  for await (const entry of entries.find(part).sort({ sequence: 1 })) {
    walk.visit(entry as LinkedEntry);
    verifiedTo = entry.sequence ?? verifiedTo;
    if (++count % TURN === 0) await new Promise(setImmediate);
  }
  const { breaks, breakCount } = walk.end(0);
  // Only a walk from the beginning knows how many entries are older than the chain.
  const own = breaks.filter(({ sequence }) => sequence > 0);
  return { verifiedTo, newest, breaks: own, breakCount: breakCount - (breaks.length - own.length) };
}
