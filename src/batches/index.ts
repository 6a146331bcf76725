export {
  BATCH_TIME_MS,
  type BatchDocument,
  type BatchLineDocument,
  batchEndpoints,
  noTokens,
} from './batch.ts';
export { type BatchEngine, createBatchEngine } from './engine.ts';
