import type { Connection } from 'mongoose';
import { switchStates } from '../../../auth/index.ts';
import type { WorkspaceRecord } from '../../../directory/memory.ts';
import { organisationSettings } from '../organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from './model.ts';
import { logModeOf } from './settings.ts';

type Named = Pick<WorkspaceDocument, '_id' | 'organisationId' | 'slug' | 'defaults' | 'settings'>;

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
      { organisationId: 1, slug: 1, defaults: 1, settings: 1 },
    )
    .lean<Named[]>();
  const common = await organisationSettings(db, organisations);
  return new Map(
    found.flatMap(({ _id, organisationId, slug, defaults, settings }) => {
      const ofOrganisation = common.get(organisationId);
      const record = {
        id: _id,
        slug,
        metadata: defaults?.metadata ?? {},
        logMode: logModeOf(ofOrganisation, settings),
        savedConfigsOnly: ofOrganisation?.savedConfigsOnly ?? false,
        switches: switchStates(ofOrganisation, settings?.switches),
      };
      return [
        [`${organisationId}/${_id}`, record],
        [`${organisationId}/${slug}`, record],
      ];
    }),
  );
}
