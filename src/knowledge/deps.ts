import type { Collection } from 'mongodb';
import type { Dataplane } from '../dataplane/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { Changes } from '../storage/changes.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { VectorSegmentDocument, VectorStoreDocument, VectorStoreFileDocument } from './documents.ts';
import type { QdrantPlace } from './qdrant/engine.ts';

/** What vector stores need of the rest of the service. */
export type KnowledgeDeps = {
  stores(): Collection<VectorStoreDocument>;
  files(): Collection<VectorStoreFileDocument>;
  segments(): Collection<VectorSegmentDocument>;
  sources: FileSources;
  /** Where each process keeps its index, and the bytes that it may take. */
  cache: { directory: string; bytes: number };
  /** The engine that keeps the index of all processes; null where each has its own. */
  engine: QdrantPlace | null;
  dataplane: Dataplane;
  /** The models that rank results and rewrite queries where a search asks for that, as calls name them; null for none. */
  models: { rerank: string | null; rewrite: string | null };
  changes: Pick<Changes, 'publish' | 'subscribe'>;
  secrets: Secrets;
  now: () => Date;
  log: Logger;
};

/** A text of a file, or why there is none. */
export type SourceText = { text: string } | { failure: 'unsupported_file' | 'invalid_file'; message: string };

/** Where the texts of files come from. */
export type FileSources = {
  /** Null where the workspace has no such file. */
  textOf(
    owner: { organisationId: string; workspaceId: string },
    fileId: string,
    signal: AbortSignal,
  ): Promise<SourceText | null>;
};
