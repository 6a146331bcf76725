import type { Connection } from 'mongoose';
import type { GraphContext } from '../../context.ts';
import { userModel } from '../user/index.ts';
import { makeSignInLink, OWN_LINK_MS } from './make.ts';

type Installation = { _id: 'installation'; seedOwner?: string };

/** The organisation that the first start has made; null on a database that nobody has seeded. */
export async function firstOrganisationId(db: Connection): Promise<string | null> {
  const installation = await db.collection<Installation>('installation').findOne({ _id: 'installation' });
  return installation?.seedOwner ?? null;
}

/** Whether somebody owns the organisation. */
export const hasOwner = async (db: Connection, organisationId: string): Promise<boolean> =>
  (await userModel(db).exists({ organisationId, role: 'owner' })) !== null;

/** Whether nobody owns the organisation of this installation yet. */
export async function lacksOwner(db: Connection): Promise<boolean> {
  const organisationId = await firstOrganisationId(db);
  return organisationId !== null && !(await hasOwner(db, organisationId));
}

/**
 * The secret of a new link that makes the first owner of the organisation of this installation; null when it has an owner
 * already.
 */
export async function makeSetUpLink(
  maker: Pick<GraphContext, 'db' | 'secrets' | 'now'>,
): Promise<string | null> {
  const organisationId = await firstOrganisationId(maker.db);
  if (organisationId === null || (await hasOwner(maker.db, organisationId))) return null;
  const wanted = { organisationId, userId: null, createdBy: null, livesMs: OWN_LINK_MS };
  return (await makeSignInLink(maker, wanted)).secret;
}
