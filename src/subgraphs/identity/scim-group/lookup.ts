import type { GraphContext } from '../../context.ts';
import { type ScimGroupDocument, scimGroupModel } from './model.ts';

/** The group that has this id or, in any case of its letters, this name; null for none. */
export const findGroup = (
  { db }: GraphContext,
  organisationId: string,
  named: { id: string } | { name: string },
): Promise<ScimGroupDocument | null> =>
  scimGroupModel(db)
    .findOne({
      organisationId,
      ...('id' in named ? { _id: named.id } : { nameKey: named.name.toLowerCase() }),
    })
    .lean<ScimGroupDocument>()
    .exec();
