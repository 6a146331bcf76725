import { type FileDocument, shownStatus, type UploadDocument } from '../../../files/index.ts';

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** A file as OpenAI's API shows it: the same that a read over REST answers. */
export const fileShape = ({ _id, bytes, createdAt, expiresAt, filename, purpose }: FileDocument) => ({
  id: _id,
  object: 'file',
  bytes,
  created_at: seconds(createdAt),
  expires_at: expiresAt && seconds(expiresAt),
  filename,
  purpose,
  status: 'processed',
  status_details: null,
});

/** An upload as OpenAI's API shows it; `file` is what it became. */
export const uploadShape = (upload: UploadDocument, now: Date, file: FileDocument | null = null) => ({
  id: upload._id,
  object: 'upload',
  bytes: upload.bytes,
  created_at: seconds(upload.createdAt),
  filename: upload.filename,
  purpose: upload.purpose,
  status: shownStatus(upload, now),
  expires_at: seconds(upload.expiresAt),
  file: file && fileShape(file),
});
