/** What a caller sends, and what it gets where all goes well. */
type Sent = 'nothing' | 'JSON' | 'a form' | 'anything';
type Answered = 'JSON' | 'JSON or events' | 'bytes' | 'JSON lines' | 'a WebSocket' | 'anything';

/** An operation of the data plane whose path is known, as descriptions and the contract name it. */
export type InferenceOperation = {
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/v1`, with parameters in braces. */
  path: string;
  summary: string;
  sends: Sent;
  answers: Answered;
};

const operation = (
  methodAndPath: `${InferenceOperation['method']} /${string}`,
  operationId: string,
  summary: string,
  { sends = 'nothing', answers = 'JSON' }: { sends?: Sent; answers?: Answered } = {},
): InferenceOperation => {
  const [method, path] = methodAndPath.split(' ') as [InferenceOperation['method'], string];
  return { operationId, method, path, summary, sends, answers };
};

const streamed = { sends: 'JSON', answers: 'JSON or events' } as const;

/**
 * Every operation with a path of its own that a provider answers, and the way to any other. What else comes below `/v1` is
 * passed on as well.
 */
export const inferenceOperations: readonly InferenceOperation[] = [
  operation('POST /chat/completions', 'createChatCompletion', 'Create chat completion', streamed),
  operation('POST /completions', 'createCompletion', 'Create completion', streamed),
  operation('POST /embeddings', 'createEmbedding', 'Create embedding', { sends: 'JSON' }),
  operation('POST /messages', 'createMessage', 'Create message', streamed),
  operation('POST /messages/count_tokens', 'countMessageTokens', 'Count tokens of a message', {
    sends: 'JSON',
  }),
  operation('POST /responses', 'createResponse', 'Create response', streamed),
  operation('GET /responses/{response_id}', 'getResponse', 'Get response'),
  operation('DELETE /responses/{response_id}', 'deleteResponse', 'Delete response'),
  operation(
    'GET /responses/{response_id}/input_items',
    'listResponseInputItems',
    'List input items of a response',
  ),
  operation('POST /images/generations', 'createImage', 'Create image', streamed),
  operation('POST /images/edits', 'createImageEdit', 'Edit image', {
    sends: 'a form',
    answers: 'JSON or events',
  }),
  operation('POST /images/variations', 'createImageVariation', 'Vary image', { sends: 'a form' }),
  operation('POST /audio/speech', 'createSpeech', 'Create speech', { sends: 'JSON', answers: 'bytes' }),
  operation('POST /audio/transcriptions', 'createTranscription', 'Transcribe audio', {
    sends: 'a form',
    answers: 'JSON or events',
  }),
  operation('POST /audio/translations', 'createTranslation', 'Translate audio', { sends: 'a form' }),
  operation('POST /moderations', 'createModeration', 'Moderate', { sends: 'JSON' }),
  operation('POST /rerank', 'createRerank', 'Rerank documents', { sends: 'JSON' }),
  operation('POST /ocr', 'createOcr', 'Read a document', { sends: 'JSON' }),
  operation('GET /models', 'listModels', 'List models'),
  operation('GET /models/{model}', 'getModel', 'Get model'),
  operation('DELETE /models/{model}', 'deleteModel', 'Delete model'),
  operation('GET /files', 'listFiles', 'List files'),
  operation('POST /files', 'uploadFile', 'Upload file', { sends: 'a form' }),
  operation('GET /files/{file_id}', 'getFile', 'Get file'),
  operation('DELETE /files/{file_id}', 'deleteFile', 'Delete file'),
  operation('GET /files/{file_id}/content', 'getFileContent', 'Get content of a file', { answers: 'bytes' }),
  operation('GET /batches', 'listBatches', 'List batches'),
  operation('POST /batches', 'createBatch', 'Create batch', { sends: 'JSON' }),
  operation('GET /batches/{batch_id}', 'getBatch', 'Get batch'),
  operation('POST /batches/{batch_id}/cancel', 'cancelBatch', 'Cancel batch'),
  operation('GET /batches/{batch_id}/output', 'getBatchOutput', 'Get output of a batch', {
    answers: 'JSON lines',
  }),
  operation('GET /fine_tuning/jobs', 'listFineTuningJobs', 'List fine-tuning jobs'),
  operation('POST /fine_tuning/jobs', 'createFineTuningJob', 'Create fine-tuning job', { sends: 'JSON' }),
  operation('GET /fine_tuning/jobs/{fine_tuning_job_id}', 'getFineTuningJob', 'Get fine-tuning job'),
  operation(
    'POST /fine_tuning/jobs/{fine_tuning_job_id}/cancel',
    'cancelFineTuningJob',
    'Cancel fine-tuning job',
  ),
  operation(
    'GET /fine_tuning/jobs/{fine_tuning_job_id}/events',
    'listFineTuningEvents',
    'List events of a fine-tuning job',
  ),
  operation(
    'GET /fine_tuning/jobs/{fine_tuning_job_id}/checkpoints',
    'listFineTuningCheckpoints',
    'List checkpoints of a fine-tuning job',
  ),
  operation('GET /realtime', 'connectRealtime', 'Connect to a realtime session', { answers: 'a WebSocket' }),
  operation('POST /proxy/{endpoint}', 'rawProxyPost', 'Post as it is', {
    sends: 'anything',
    answers: 'anything',
  }),
  operation('GET /proxy/{endpoint}', 'rawProxyGet', 'Get as it is', { answers: 'anything' }),
  operation('PUT /proxy/{endpoint}', 'rawProxyPut', 'Put as it is', {
    sends: 'anything',
    answers: 'anything',
  }),
  operation('DELETE /proxy/{endpoint}', 'rawProxyDelete', 'Delete as it is', { answers: 'anything' }),
];
