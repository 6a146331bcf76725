import type { Connection } from 'mongoose';
import type { WorkspaceRecord } from '../../../dataplane/directory.ts';
import { savedConfigsOnlyIn } from '../organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from './model.ts';

type Named = Pick<WorkspaceDocument, '_id' | 'organisationId' | 'slug' | 'defaults'>;

/** Active workspaces by `<organisationId>/<id or slug>`. */
export async function loadWorkspaceRecords(
  db: Connection,
  ids: string[],
): Promise<Map<string, WorkspaceRecord>> {
  const named = ids.map((id) => ({ id, at: id.indexOf('/') }));
  const organisations = [...new Set(named.map(({ id, at }) => id.slice(0, at)))];
  const names = named.map(({ id, at }) => id.slice(at + 1));
  const found = await workspaceModel(db)
    .find(
      {
        organisationId: { $in: organisations },
        status: 'active',
        $or: [{ _id: { $in: names } }, { slug: { $in: names } }],
      },
      { organisationId: 1, slug: 1, defaults: 1 },
    )
    .lean<Named[]>();
  const strict = await savedConfigsOnlyIn(db, organisations);
  return new Map(
    found.flatMap(({ _id, organisationId, slug, defaults }) => {
      const record = {
        id: _id,
        slug,
        metadata: defaults?.metadata ?? {},
        savedConfigsOnly: strict.has(organisationId),
      };
      return [
        [`${organisationId}/${_id}`, record],
        [`${organisationId}/${slug}`, record],
      ];
    }),
  );
}
