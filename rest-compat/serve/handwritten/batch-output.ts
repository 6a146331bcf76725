import { batchOutput } from '../../../src/subgraphs/assistants/batch/index.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { ofFiles, reading } from './of-files.ts';

/** The rows of a batch without the way over its file. */
export const getBatchOutput: HandwrittenEndpoint = {
  ...ofFiles,
  ...reading,
  name: 'getBatchOutput',
  method: 'GET',
  path: '/batches/{batch_id}/output',
  describe: {
    tags: ['Batch'],
    description:
      'The answers of the lines of a batch. A request that names a provider goes on to that provider.',
    responses: {
      200: {
        description: 'One answer a line, as JSON.',
        content: {
          'application/jsonl': {
            schema: { type: 'string' },
            example:
              '{"id":"batch_req_1","custom_id":"a","response":{"status_code":200,"body":{}},"error":null}\n',
          },
        },
      },
    },
  },
  async handle({ context, parameters, sendFile }) {
    const { file, content } = await batchOutput(context, parameters.batch_id ?? '');
    await sendFile((range) => content.read(range), {
      type: 'application/jsonl',
      name: file.filename,
      length: content.bytes,
      takesRange: true,
    });
  },
};
