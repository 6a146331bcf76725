import { z } from 'zod';

/** Types of requests that can be streamed; `stream-` before one means only those that are. */
const streamable = ['complete', 'chatComplete', 'messages', 'createModelResponse', 'proxy'] as const;

/** Types of requests, as guardrails name them. */
export const requestTypes = [
  ...streamable,
  'stream-complete',
  'stream-chatComplete',
  'stream-messages',
  'stream-createModelResponse',
  'stream-proxy',
  'embed',
  'rerank',
  'moderate',
  'imageGenerate',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'realtime',
  'otel',
  'mcp',
  'uploadFile',
  'listFiles',
  'retrieveFile',
  'deleteFile',
  'retrieveFileContent',
  'createBatch',
  'retrieveBatch',
  'cancelBatch',
  'listBatches',
  'getBatchOutput',
  'listFinetunes',
  'createFinetune',
  'retrieveFinetune',
  'cancelFinetune',
  'getModelResponse',
  'deleteModelResponse',
  'listResponseInputItems',
] as const;

export const requestTypeList = z.array(z.enum(requestTypes)).max(requestTypes.length);
