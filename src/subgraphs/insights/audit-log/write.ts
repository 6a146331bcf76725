import type { Connection } from 'mongoose';
import type { StoredAuditEntry } from '../../../recording/audit-trail.ts';
import { isDuplicateBatch } from '../../../storage/duplicates.ts';
import { auditLogModel } from './model.ts';

/** Appends one entry to the audit trail; resolves when the store has it, also when it had it already. */
export async function writeAuditEntry(db: Connection, entry: StoredAuditEntry): Promise<void> {
  const { collection } = auditLogModel(db);
  try {
    await collection.insertOne(entry as unknown as Parameters<typeof collection.insertOne>[0]);
  } catch (error) {
    if (!isDuplicateBatch(error)) throw error;
  }
}
