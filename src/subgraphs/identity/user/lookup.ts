import type { Connection, QueryFilter } from 'mongoose';
import { type UserDocument, userModel } from './model.ts';

/** Who has this address, in any case, in the organisation. */
export async function userIdWithEmail(
  db: Connection,
  organisationId: string,
  email: string,
): Promise<string | null> {
  const found = await userModel(db)
    .findOne({ organisationId, email: email.toLowerCase() }, { _id: 1 })
    .lean<{ _id: string }>();
  return found?._id ?? null;
}

/** Those of the ids that are users of the organisation, and are as the filter says. */
export async function userIdsAmong(
  db: Connection,
  organisationId: string,
  ids: readonly string[],
  filter: QueryFilter<UserDocument> = {},
): Promise<Set<string>> {
  const found = await userModel(db)
    .find({ ...filter, organisationId, _id: { $in: ids } }, { _id: 1 })
    .lean<{ _id: string }[]>();
  return new Set(found.map(({ _id }) => _id));
}

/** Those of the ids that are deactivated users, of whatever organisation. */
export async function inactiveAmong(db: Connection, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await userModel(db)
    .find({ _id: { $in: ids }, status: 'inactive' }, { _id: 1 })
    .lean<{ _id: string }[]>();
  return new Set(found.map(({ _id }) => _id));
}
