/** Whose files they are: a workspace, and its organisation. */
export type FileOwner = { organisationId: string; workspaceId: string };

/** What callers may bring files for. */
export const givenPurposes = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

/** What a file is for; those that callers bring, and those that the gateway makes. */
export type FilePurpose = (typeof givenPurposes)[number] | 'assistants_output' | 'batch_output';

export type FileDocument = FileOwner & {
  /** `file-…` */
  _id: string;
  filename: string;
  purpose: FilePurpose;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
  /** Its name in `Contents`; equal contents of a workspace are stored once. */
  contentName: string;
  createdAt: Date;
  /** From then on nobody finds it; null for never. */
  expiresAt: Date | null;
  /** The user, or the API key or account, that brought it. */
  createdBy: string;
};

/** Bytes of the largest file that is put together from the parts of an upload. */
export const MAX_UPLOAD_BYTES = 8 * 1024 ** 3;

/** The part of a query that leaves out what has expired. */
export const notExpired = (now: Date): object => ({
  $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
});
