export type { AttachedFile, FileCounts } from './contents.ts';
export type { KnowledgeDeps } from './deps.ts';
export {
  type Attributes,
  type AttributeValue,
  type Chunking,
  type EmbeddingModel,
  expiryOf,
  isExpired,
  storeFileId,
  type VectorSegmentDocument,
  type VectorStoreDocument,
  type VectorStoreFileBatchDocument,
  type VectorStoreFileDocument,
  type VectorStoreFileStatus,
} from './documents.ts';
export { LOCAL_MODEL } from './embed/embedder.ts';
export { createKnowledge, type Knowledge } from './knowledge.ts';
export type { AttributeFilter, Comparison } from './search/filter.ts';
export { isRanker, RANKER_NAMES, type RankingChoice, rankingOf } from './search/ranker.ts';
export type { KnowledgeQuestion, KnowledgeResult } from './search/search.ts';
export { createSources } from './sources.ts';
