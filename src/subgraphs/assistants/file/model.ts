import { Schema } from 'mongoose';
import type {
  ContentDocument,
  FileDocument,
  UploadDocument,
  UploadPartDocument,
} from '../../../files/index.ts';
import { defineModel } from '../../../storage/model.ts';

const owned = {
  _id: String,
  organisationId: { type: String, required: true },
  workspaceId: { type: String, required: true },
} as const;

const optionsOf = (collection: string) =>
  ({
    collection,
    strict: false,
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  }) as const;

const fileSchema = new Schema<FileDocument>(
  { ...owned, createdAt: { type: Date, required: true } },
  optionsOf('files'),
);
fileSchema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
fileSchema.index({ organisationId: 1, workspaceId: 1, purpose: 1, createdAt: -1, _id: -1 });
fileSchema.index({ organisationId: 1, createdAt: -1, _id: -1 });
fileSchema.index({ expiresAt: 1 });

export const fileModel = defineModel('File', fileSchema);

const contentSchema = new Schema<ContentDocument>(owned, optionsOf('file_contents'));
contentSchema.index({ organisationId: 1, workspaceId: 1, sha256: 1 });
contentSchema.index({ state: 1, changedAt: 1 });

/** Stays when its workspace goes, until its content is removed. */
export const fileContentModel = defineModel('FileContent', contentSchema);

const uploadSchema = new Schema<UploadDocument>(owned, optionsOf('uploads'));
uploadSchema.index({ expiresAt: 1 });
uploadSchema.index({ organisationId: 1, workspaceId: 1 });

export const uploadModel = defineModel('Upload', uploadSchema);

const partSchema = new Schema<UploadPartDocument>(owned, optionsOf('upload_parts'));
partSchema.index({ uploadId: 1 });
partSchema.index({ organisationId: 1, workspaceId: 1 });

export const uploadPartModel = defineModel('UploadPart', partSchema);
