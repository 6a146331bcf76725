import { linkedContent } from '../../../src/subgraphs/insights/log-export/index.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';

/** The file of an export that lies on this machine, for whoever has the link to it. */
export const logExportContent: HandwrittenEndpoint = {
  name: 'getLogExportContent',
  method: 'GET',
  path: '/logs/exports/{exportId}/content',
  on: ['V1'],
  isPublic: true,
  query: ['expires', 'signature'],
  describe: {
    description: 'The lines of an export, under the link that `/logs/exports/{exportId}/download` answers.',
    responses: {
      200: {
        description: 'One log a line, as JSON.',
        content: {
          'application/jsonl': {
            schema: { type: 'string' },
            example: '{"id":"f3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d","response_status_code":200}\n',
          },
        },
      },
    },
  },
  async handle({ context, parameters, query, sendFile }) {
    const id = parameters.exportId ?? '';
    const { bytes, read } = await linkedContent(context, id, query);
    await sendFile(read, { type: 'application/jsonl', name: `logs-${id}.jsonl`, length: bytes });
  },
};
