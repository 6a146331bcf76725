import type { Connection } from 'mongoose';
import type { LimitAlarmDocument } from '../../limits/alarms/index.ts';
import { apiKeyModel } from '../identity/api-key/index.ts';
import { addressesOfAdministrators, userModel } from '../identity/user/index.ts';

/**
 * Who gets a mail about an alarm: the administrators of the organisation, whoever a key stands for, and the addresses that the
 * limit names. Of policies only the latter, since a policy has as many alarms as its groups have values.
 */
export async function recipientsOf(db: Connection, alarm: LimitAlarmDocument): Promise<string[]> {
  const { level, organisationId, alertEmails } = alarm;
  if (level === 'policy' || level === 'token') return [...alertEmails];
  const [administrators, owner] = await Promise.all([
    addressesOfAdministrators(db, organisationId),
    level === 'api_key' ? ownerAddress(db, alarm) : [],
  ]);
  return [...new Set([...administrators, ...owner, ...alertEmails])];
}

async function ownerAddress(
  db: Connection,
  { limitId, organisationId }: LimitAlarmDocument,
): Promise<string[]> {
  const [, keyId] = limitId.split(':');
  const key = await apiKeyModel(db)
    .findOne({ _id: keyId, organisationId }, { userId: 1 })
    .lean<{ userId: string | null }>();
  if (!key?.userId) return [];
  const user = await userModel(db)
    .findOne({ _id: key.userId, organisationId, status: { $ne: 'inactive' } }, { email: 1 })
    .lean<{ email: string }>();
  return user ? [user.email] : [];
}
