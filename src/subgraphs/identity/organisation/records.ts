import type { Connection } from 'mongoose';
import { type OrganisationDocument, type OrganisationSettings, organisationModel } from './model.ts';

type Found = Pick<OrganisationDocument, '_id' | 'settings'>;

/** What is set for organisations, by their ids; one for which nothing is set may be missing. */
export async function organisationSettings(
  db: Connection,
  ids: readonly string[],
): Promise<Map<string, OrganisationSettings>> {
  const found = await organisationModel(db)
    .find({ _id: { $in: [...new Set(ids)] } }, { settings: 1 })
    .lean<Found[]>();
  return new Map(found.flatMap(({ _id, settings }) => (settings ? [[_id, settings]] : [])));
}
