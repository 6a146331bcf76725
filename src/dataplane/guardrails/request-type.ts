import type { Endpoint } from '../../providers/index.ts';
import type { Call } from '../call/call.ts';

/** By the endpoint of a collection and the method, for the collection itself, one of its items, and what lies below it. */
const operations: Partial<Record<Endpoint, (method: string, rest: readonly string[]) => string>> = {
  createResponse: () => 'createModelResponse',
  storedResponse(method, rest) {
    if (method === 'DELETE') return 'deleteModelResponse';
    return rest.includes('input_items') ? 'listResponseInputItems' : 'getModelResponse';
  },
  files(method, rest) {
    if (method === 'POST') return 'uploadFile';
    if (method === 'DELETE') return 'deleteFile';
    if (rest.includes('content')) return 'retrieveFileContent';
    return rest.length > 1 ? 'retrieveFile' : 'listFiles';
  },
  batches(method, rest) {
    if (rest.includes('cancel')) return 'cancelBatch';
    if (method === 'POST') return 'createBatch';
    return rest.length > 1 ? 'retrieveBatch' : 'listBatches';
  },
  batchOutput: () => 'getBatchOutput',
  fineTuning(method, rest) {
    if (rest.includes('cancel')) return 'cancelFinetune';
    if (method === 'POST') return 'createFinetune';
    return rest.length > 2 ? 'retrieveFinetune' : 'listFinetunes';
  },
};

/** The kind of a call as guardrails name it. */
export function requestTypeOf({
  route: { endpoint },
  method,
  path,
}: Pick<Call, 'route' | 'method' | 'path'>): string {
  const rest = path.split('/').filter((part) => part !== '');
  return operations[endpoint]?.(method, rest) ?? endpoint;
}
