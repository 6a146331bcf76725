import type { Collection } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Logger } from '../lib/logger.ts';
import type { Contents } from '../storage/contents/index.ts';
import { createDuty } from '../storage/duty.ts';
import type { Leases } from '../storage/leases.ts';
import type { FileDocument } from './file.ts';
import { createFileStore, type Files } from './files.ts';
import { type ContentDocument, createKeptContents } from './kept-contents.ts';
import { createQuota } from './quota.ts';
import { createRepair, type TidyTask } from './repair.ts';
import { createFileScan } from './scan.ts';
import type { UploadDocument, UploadPartDocument } from './uploads/upload.ts';
import { createUploads, type Uploads } from './uploads/uploads.ts';

export { type FileDocument, type FileOwner, type FilePurpose, givenPurposes, notExpired } from './file.ts';
export type { Files, NewFile } from './files.ts';
export type { ContentDocument } from './kept-contents.ts';
export {
  MAX_PART_BYTES,
  type UploadDocument,
  type UploadPartDocument,
} from './uploads/upload.ts';
export { type Completion, shownStatus, type Uploads } from './uploads/uploads.ts';

export type FilesDeps = {
  files(): Collection<FileDocument>;
  contents(): Collection<ContentDocument>;
  uploads(): Collection<UploadDocument>;
  parts(): Collection<UploadPartDocument>;
  store: Contents;
  /** Bytes of one file at most, and of all files of a workspace. */
  limits: { fileBytes: number; workspaceBytes: number };
  /** Where a scanner is asked about what callers bring; null for nowhere. */
  scanUrl: string | null;
  db: Connection;
  leases: Leases;
  now(): Date;
  log: Logger;
};

/**
 * Milliseconds between two looks for files that have expired, which nobody finds before that either, and for what crashed
 * processes have left.
 */
const LOOK_MS = 600_000;
/** Files that one look removes. */
const ROUND = 100;

export type FileService = Files & {
  uploads: Uploads;
  /** Bytes of the largest file that one request brings. */
  maxBytes: number;
  /** Does now what is due every ten minutes. */
  tidy(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

/** The files of all workspaces, the uploads that become some, and what keeps them in order. */
export function createFiles(deps: FilesDeps): FileService {
  const { files: collection, store, limits, scanUrl, now, log } = deps;
  const quota = createQuota(deps.contents, limits.workspaceBytes);
  const kept = createKeptContents({ ...deps, roomOf: quota.roomOf });
  const maxBytes = limits.fileBytes;
  const { removeFile, ...files } = createFileStore({
    ...{ files: collection, kept, store, maxBytes, now },
    scan: scanUrl === null ? null : createFileScan(scanUrl, log),
    changed: quota.changed,
  });
  const uploads = createUploads({ ...deps, kept, files });
  const repair = createRepair({ ...deps, kept });

  async function expired(): Promise<TidyTask[]> {
    const found = await collection()
      .find({ expiresAt: { $lte: now() } })
      .limit(ROUND)
      .toArray();
    return found.map((file) => () => removeFile(file));
  }

  const due = async () => [...(await expired()), ...(await uploads.expired()), ...(await repair())];
  const doAll = async (tasks: TidyTask[]) => {
    for (const task of tasks) await task();
  };

  let dueAt = 0;
  let tasks: TidyTask[] = [];
  const duty = createDuty({
    ...{ name: 'files', db: deps.db, leases: deps.leases, log, work: () => doAll(tasks) },
    async isDue() {
      const time = performance.now();
      if (time < dueAt) return false;
      dueAt = time + LOOK_MS;
      tasks = await due();
      return tasks.length > 0;
    },
  });

  return {
    ...files,
    uploads,
    maxBytes,
    tidy: async () => doAll(await due()),
    start: duty.start,
    stop: duty.stop,
  };
}
