import type { Connection } from 'mongoose';
import { type UserDocument, userModel } from './model.ts';

/** Administrators that one mail goes to at most. */
const MOST = 50;

/** Addresses of an organisation's active owners and administrators. */
export async function addressesOfAdministrators(db: Connection, organisationId: string): Promise<string[]> {
  const found = await userModel(db)
    .find({ organisationId, role: { $in: ['owner', 'admin'] }, status: { $ne: 'inactive' } }, { email: 1 })
    .sort({ _id: 1 })
    .limit(MOST)
    .lean<Pick<UserDocument, '_id' | 'email'>[]>();
  return found.map(({ email }) => email);
}
