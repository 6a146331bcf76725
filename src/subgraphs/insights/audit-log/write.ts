import type { Connection } from 'mongoose';
import { uuid } from '../../../lib/ids.ts';
import type { AuditEntry } from '../../../recording/audit-trail.ts';
import { auditLogModel } from './model.ts';

/** Appends one entry to the audit trail; resolves when the store has it. */
export async function writeAuditEntry(db: Connection, entry: AuditEntry): Promise<void> {
  await auditLogModel(db).collection.insertOne({ _id: uuid(), ...entry } as never);
}
