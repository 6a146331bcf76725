import DataLoader from 'dataloader';
import { type KeyUseDocument, keyUseModel } from '../../../recording/key-use/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';

/** When keys were last used: the later of what is stored and what this process knows. Callers have been shown the keys. */
export const lastUseOf = perRequest(
  ({ db, keyUses }: GraphContext) =>
    new DataLoader<string, Date | null>(async (ids) => {
      const stored = await keyUseModel(db)
        .find({ _id: { $in: [...ids] } })
        .lean<KeyUseDocument[]>();
      const uses = new Map(stored.map(({ _id, usedAt }) => [_id, usedAt]));
      return ids.map((id) => later(uses.get(id) ?? null, keyUses.unwritten(id)));
    }),
);

const later = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;
