import type { FileOwner, FilePurpose } from '../file.ts';

/** `completing`: its parts are being put together. */
export type UploadStatus = 'pending' | 'completing' | 'completed' | 'cancelled';

/** A file that comes in parts. */
export type UploadDocument = FileOwner & {
  /** `upload_…` */
  _id: string;
  filename: string;
  purpose: FilePurpose;
  /** Of the whole file. */
  bytes: number;
  mimeType: string;
  status: UploadStatus;
  /** Of the file that it became; null before. */
  fileId: string | null;
  /** When its file expires, in seconds after the file was made; null for never. */
  fileLastsSeconds: number | null;
  createdAt: Date;
  /** From then on a pending one takes no parts. */
  expiresAt: Date;
  createdBy: string;
};

/** A part, stored as a content of its own until the upload has ended. */
export type UploadPartDocument = FileOwner & {
  /** `part_…` */
  _id: string;
  uploadId: string;
  bytes: number;
  contentName: string;
  createdAt: Date;
};

/** Milliseconds for which an upload takes parts. */
export const UPLOAD_TIME_MS = 3_600_000;
/** Bytes of the largest part. */
export const MAX_PART_BYTES = 64 * 1024 * 1024;
/** Parts of one upload. */
export const MOST_PARTS = 10_000;
