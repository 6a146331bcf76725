import type { Connection, Model } from 'mongoose';
import { limitCounterModel } from '../../limits/engine/index.ts';
import type { LimitLevel } from '../../limits/limit.ts';
import type { GraphContext } from '../context.ts';
import { expiryFilter } from '../filters.ts';
import { isExhausted } from './shown.ts';
import type { StoredLimits } from './stored.ts';
import type { LimitOwner } from './to-limit.ts';

/** What may expire and be used up. */
type Limited = StoredLimits & { _id: string; organisationId: string; expiresAt: Date | null };

/** Where owners of limits are kept, and as whom counters know one of them. */
export type LimitOwners<T extends Limited> = {
  level: LimitLevel;
  modelOf: (db: Connection) => Model<T>;
  ownerOf: (document: T) => LimitOwner;
};

/** What is used up, has expired, or neither. */
export type LimitedStatus = 'active' | 'exhausted' | 'expired';

/** Counters that are looked at: of an organisation with more that are used up, the status of some owners is that of a moment ago. */
const MOST = 10_000;

/** What stands as the status of an owner of limits at this moment. */
export async function limitedStatus<T extends Limited>(
  context: GraphContext,
  document: T,
  owner: LimitOwner,
): Promise<LimitedStatus> {
  if (document.expiresAt && document.expiresAt <= context.now()) return 'expired';
  return (await isExhausted(context, owner, document)) ? 'exhausted' : 'active';
}

/** The part of a query that a status stands for, which no document has: it follows from the counters. */
export async function limitedStatusFilter<T extends Limited>(
  context: GraphContext,
  status: LimitedStatus | null | undefined,
  organisationId: string,
  owners: LimitOwners<T>,
): Promise<object> {
  if (!status) return {};
  if (status === 'expired') return expiryFilter('expired', context.now());
  const ids = await exhaustedIds(context, organisationId, owners);
  const _id = status === 'exhausted' ? { $in: ids } : { $nin: ids };
  return { ...expiryFilter('active', context.now()), _id };
}

async function exhaustedIds<T extends Limited>(
  context: GraphContext,
  organisationId: string,
  { level, modelOf, ownerOf }: LimitOwners<T>,
): Promise<string[]> {
  const counters = await limitCounterModel(context.db)
    .find(
      {
        organisationId,
        limitId: { $gte: `${level}:`, $lt: `${level};` },
        until: { $not: { $lte: context.now().getTime() } },
        $expr: { $gte: ['$fill', '$cap'] },
      },
      { limitId: 1 },
    )
    .limit(MOST)
    .lean<{ limitId: string }[]>();
  const ids = [...new Set(counters.flatMap(({ limitId }) => limitId.split(':')[1] ?? []))];
  if (ids.length === 0) return [];
  const found = await modelOf(context.db)
    .find({ _id: { $in: ids }, organisationId } as object)
    .lean<T[]>();
  // A limit may have been taken away, or raised, since its counter was full.
  const full = await Promise.all(found.map((each) => isExhausted(context, ownerOf(each), each)));
  return found.filter((_each, index) => full[index]).map(({ _id }) => _id);
}
