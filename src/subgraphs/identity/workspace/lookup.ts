import type { Connection } from 'mongoose';
import { type GraphContext, perRequest } from '../../context.ts';
import { workspaceModel } from './model.ts';

const ids = async (found: Promise<{ _id: string }[]>) => (await found).map(({ _id }) => _id);

/** Ids of all workspaces of the caller's organisation, read once per request. */
export const organisationWorkspaceIds: (context: GraphContext) => Promise<string[]> = perRequest(
  async ({ db, principal }: GraphContext) =>
    principal
      ? ids(
          workspaceModel(db)
            .find({ organisationId: principal.organisationId }, { _id: 1 })
            .lean<{ _id: string }[]>()
            .exec(),
        )
      : [],
);

export async function defaultWorkspaceId(db: Connection, organisationId: string): Promise<string | null> {
  const found = await workspaceModel(db)
    .findOne({ organisationId, isDefault: 1 }, { _id: 1 })
    .lean<{ _id: string }>();
  return found?._id ?? null;
}

/** The workspaces that ids or slugs name, by that name; a name that means nothing is missing from the answer. */
export async function workspaceIdsNamed(
  db: Connection,
  organisationId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const found = await workspaceModel(db)
    .find({ organisationId, $or: [{ _id: { $in: names } }, { slug: { $in: names } }] }, { slug: 1 })
    .lean<{ _id: string; slug: string }[]>();
  return new Map(
    found.flatMap(({ _id, slug }) => [
      [slug, _id],
      [_id, _id],
    ]),
  );
}
