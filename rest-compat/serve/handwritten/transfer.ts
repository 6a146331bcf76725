import { auditedCall } from '../../../src/graph/index.ts';
import {
  exportedLines,
  importLines,
  transferOwner,
} from '../../../src/subgraphs/assistants/transfer/index.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { jsonAnswer, ofFiles } from './of-files.ts';

/** Bytes of an import at most. */
const MAX_BYTES = 8 * 1024 ** 3;

const lines = {
  'application/jsonl': {
    schema: { type: 'string' },
    example:
      '{"id":"thread_abc123","object":"thread","created_at":1790000000,"tool_resources":{},"metadata":{}}\n',
  },
};
const none = { assistants: 0, threads: 0, messages: 0, runs: 0, steps: 0 };
const outcome = {
  object: 'assistants.import',
  lines: 2,
  created: { ...none, threads: 1 },
  existing: none,
  skipped: 0,
  refused: 1,
  problems: [{ line: 2, field: null, message: 'The line is no JSON object.' }],
};

const common = { ...ofFiles, scope: 'workspaces.update' } as const;

const exportAssistants: HandwrittenEndpoint = {
  ...common,
  name: 'exportAssistants',
  method: 'GET',
  path: '/assistants/export',
  describe: {
    tags: ['Assistant'],
    description:
      'All assistants, threads, messages, runs and steps of a workspace, and what is known of its files. A request that names a provider goes on to that provider.',
    responses: { 200: { description: 'One object a line, as JSON.', content: lines } },
  },
  async handle({ context, sendFile }) {
    await auditedCall(context, 'assistant.export', {}, async () => {
      const owner = transferOwner(context);
      const facts = { type: 'application/jsonl', name: 'assistants.jsonl' };
      await sendFile(() => exportedLines(context, owner), facts);
    });
  },
};

const importAssistants: HandwrittenEndpoint = {
  ...common,
  name: 'importAssistants',
  method: 'POST',
  path: '/assistants/import',
  describe: {
    tags: ['Assistant'],
    description:
      'Stores assistants, threads, messages, runs and steps under the ids that they have. What is there stays as it is, so that the same lines may come again. A request that names a provider goes on to that provider.',
    requestBody: { required: true, content: lines },
    responses: jsonAnswer('What became of the lines.', outcome),
  },
  async handle({ context, readBytes, sendJson }) {
    sendJson(
      await auditedCall(context, 'assistant.import', {}, () => importLines(context, readBytes(MAX_BYTES))),
    );
  },
};

export const transferEndpoints: HandwrittenEndpoint[] = [exportAssistants, importAssistants];
