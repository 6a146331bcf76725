import type { Binary } from 'mongodb';

/** How a text is cut, in tokens. */
export type Chunking = { size: number; overlap: number };

/** Who turns texts into vectors. */
export type EmbeddingModel = {
  /** `local`, or a model as calls name it. */
  model: string;
  /** Numbers that a vector shall have; null leaves it to the model. */
  dimensions: number | null;
};

export type AttributeValue = string | number | boolean;
export type Attributes = Record<string, AttributeValue>;

/** A change of the embedding of a store, from the order to the moment at which all files have the new form. */
export type NextEmbedding = {
  embedding: EmbeddingModel;
  /** Names the form to come. */
  sign: string;
  /** The headers of the request that asked for it, sealed; absent where no model is asked. */
  sealedCaller?: string;
  /** Why it does not go on; absent while it does. */
  failure?: string;
};

export type VectorStoreDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  name: string;
  description: string | null;
  metadata: Record<string, string>;
  /** Days without use after which it expires; null for never. */
  expiresAfterDays: number | null;
  lastActiveAt: Date;
  /** Null for never. */
  expiresAt: Date | null;
  /** Who makes the vectors that are searched: they are all of one kind. */
  embedding: EmbeddingModel;
  /** Names the form of its files that is searched: vectors of `embedding`. Absent for the form that it was made with. */
  sign?: string;
  /** The embedding that its files are prepared for, beside what is searched. Absent where it does not change. */
  next?: NextEmbedding;
  /** There after the form has changed, or a change was given up, until nothing of another form is left. */
  settling?: { id: string; sealedCaller?: string };
  /** Changes with what is to be found in it. */
  revision: number;
  /** When a file last left it; absent where none has. */
  removedAt?: Date;
  createdAt: Date;
  lastUpdatedAt: Date;
};

export type VectorStoreFileStatus = 'in_progress' | 'completed' | 'cancelled' | 'failed';
export type VectorStoreFileError = {
  code: 'server_error' | 'unsupported_file' | 'invalid_file';
  message: string;
};

/** A file in a vector store. */
export type VectorStoreFileDocument = {
  /** `<store>/<file>`: a file is in a store once. */
  _id: string;
  organisationId: string;
  workspaceId: string;
  storeId: string;
  fileId: string;
  filename: string;
  batchId: string | null;
  status: VectorStoreFileStatus;
  lastError: VectorStoreFileError | null;
  chunking: Chunking;
  attributes: Attributes;
  /** Counts the changes of its attributes. */
  attributesVersion: number;
  /** Bytes of its text and vectors. */
  usageBytes: number;
  /** Names the segments that count: those of the claim which ended. Null before, and where it failed or was given up. */
  generation: number | null;
  /** The form of that generation, as the store names it; absent for the first one. */
  sign?: string;
  /** Its form for another embedding than that of `generation`: counts in place of it once the store has that sign. */
  prepared?: { sign: string; generation: number; usageBytes: number };
  /** The process that works on it; null while none does. */
  owner: string | null;
  /** When anybody may take it up; in the future while somebody works on it. */
  leaseUntil: Date | null;
  /** Counts the claims: a process whose claim is not the last one can end nothing any more. */
  fence: number;
  /** Counts the processes that have tried. */
  attempt: number;
  /** The headers of the request that brought it, sealed: embeddings are asked for with them. Absent once it has ended. */
  sealedCaller?: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

/** Files that were brought together. */
export type VectorStoreFileBatchDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  storeId: string;
  cancelledAt: Date | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

/** Chunks of one file with their vectors. Never changes. */
export type VectorSegmentDocument = {
  /** `<store>/<file>/<generation>/<place>` */
  _id: string;
  organisationId: string;
  workspaceId: string;
  storeId: string;
  fileId: string;
  generation: number;
  /** The form that it is part of, as the store names it; absent for the first one. */
  sign?: string;
  place: number;
  count: number;
  dimensions: number;
  /** A list of `[start, end, text]` as JSON, compressed with Brotli. */
  chunks: Binary;
  values: Binary;
  scales: Binary;
  bytes: number;
  /** When it goes unless its file has been ended by then: what a process left behind that died. Absent afterwards. */
  provisionalUntil?: Date;
};

/** The segments of a file that count in a form of its store; null where it has none in that form. */
export function generationIn(
  { generation, sign: own, prepared }: Pick<VectorStoreFileDocument, 'generation' | 'sign' | 'prepared'>,
  sign: string | undefined,
): number | null {
  if (prepared && prepared.sign === sign) return prepared.generation;
  return own === sign ? generation : null;
}

/** The name under which an index has one form of a store. */
export const indexNameOf = ({ _id, sign }: Pick<VectorStoreDocument, '_id' | 'sign'>): string =>
  sign === undefined ? _id : `${_id}.${sign}`;

/** The store and the form that such a name stands for. */
export function formOf(indexName: string): { storeId: string; sign: string | undefined } {
  const [storeId = '', sign] = indexName.split('.');
  return { storeId, sign };
}

/** The files of a store that searches find: one that is indexed anew is found as it was until that has ended. */
export const searchableIn = (storeId: string) => ({
  storeId,
  generation: { $ne: null },
  status: { $in: ['completed', 'in_progress'] as VectorStoreFileStatus[] },
});

export const storeFileId = (storeId: string, fileId: string): string => `${storeId}/${fileId}`;

/** Whether a store is past its time without use. */
export const isExpired = ({ expiresAt }: Pick<VectorStoreDocument, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;

const DAY_MS = 86_400_000;

export const expiryOf = (lastActiveAt: Date, days: number | null): Date | null =>
  days === null ? null : new Date(lastActiveAt.getTime() + days * DAY_MS);
