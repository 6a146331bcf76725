import { Schema } from 'mongoose';
import type { Permission } from '../../../auth/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { LogExportField, LogExportFilters, LogExportStatus } from '../../types.generated.ts';

/** `userId` has nobody else where whoever drew it up may see no other requests than their own. */
export type StoredFilters = Omit<LogExportFilters, '__typename'>;

export type LogExportDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  filters: StoredFilters;
  /** Who drew it up last, and what opened logs to them: a search looks no further. Absent in older exports, which have none. */
  reader?: { id: string; scopes: Permission[] };
  requestedData: LogExportField[];
  status: LogExportStatus;
  description: string;
  /** Logs that matched when the selection was made. */
  total: number;
  records: number | null;
  error: string | null;
  createdBy: string;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** When it is removed, with its content: as long after its making, then after its end, as logs are kept. */
  expiresAt: Date;
  /** Names the try that writes now, or that wrote the content. */
  attempt: string | null;
  /** Tries since the start. */
  attempts: number;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<LogExportDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    filters: { type: Schema.Types.Mixed, required: true },
    reader: { type: Schema.Types.Mixed },
    requestedData: { type: [String], required: true },
    status: { type: String, required: true },
    description: { type: String, default: '' },
    total: { type: Number, required: true },
    records: { type: Number, default: null },
    error: { type: String, default: null },
    createdBy: { type: String, required: true },
    startedAt: { type: Date, default: null },
    finishedAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    attempt: { type: String, default: null },
    attempts: { type: Number, default: 0 },
  },
  resourceSchema('log_exports'),
);
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
// What the runner looks for.
schema.index({ status: 1, startedAt: 1 });
schema.index({ expiresAt: 1 });

export const logExportModel = defineModel('LogExport', schema);

/** Of the content that a try writes. */
export const contentName = (id: string, attempt: string): string => `${id}.${attempt}.jsonl`;
