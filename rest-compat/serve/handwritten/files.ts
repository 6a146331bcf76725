import { type FileDocument, givenPurposes } from '../../../src/files/index.ts';
import { auditedCall } from '../../../src/graph/index.ts';
import {
  fileContent,
  fileShape,
  listedFiles,
  listFiles,
  newFile,
  writerOf,
} from '../../../src/subgraphs/assistants/file/index.ts';
import { FORM_BYTES, readForm } from '../form.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { formOf, jsonAnswer, ofFiles, reading, writing } from './of-files.ts';

const shown = {
  id: 'file-0190a6d4c5b67e2f8a1b3c4d5e6f7a8b',
  object: 'file',
  bytes: 120,
  created_at: 1_790_000_000,
  expires_at: null,
  filename: 'handbook.pdf',
  purpose: 'assistants',
  status: 'processed',
  status_details: null,
};

const uploadFile: HandwrittenEndpoint = {
  ...ofFiles,
  ...writing,
  name: 'uploadFile',
  method: 'POST',
  path: '/files',
  describe: {
    tags: ['File'],
    description:
      'Stores a file in the workspace of the credential. A request that names a provider goes on to that provider.',
    requestBody: formOf(
      'file',
      {
        purpose: { type: 'string', enum: givenPurposes },
        'expires_after[anchor]': { type: 'string', enum: ['created_at'] },
        'expires_after[seconds]': { type: 'integer', minimum: 3600, maximum: 2_592_000 },
      },
      { purpose: 'assistants' },
    ),
    responses: jsonAnswer('The file.', shown),
  },
  async handle({ context, signal, readBytes, sendJson }) {
    const owner = writerOf(context);
    const { files, request } = context;
    const most = files.maxBytes + FORM_BYTES;
    const asked: { filename?: string; purpose?: string } = {};
    const file = await auditedCall(context, 'file.create', asked, () =>
      readForm(readBytes(most), request.headers['content-type'], {
        field: 'file',
        take: (content) => files.receive(owner, content, { signal }),
        giveUp: files.giveUp,
        async use({ fields, filename, taken }): Promise<FileDocument> {
          Object.assign(asked, { filename, purpose: fields.get('purpose') });
          return files.keep(owner, taken, newFile(context, { filename, fields }));
        },
      }),
    );
    sendJson(fileShape(file));
  },
};

const listAll: HandwrittenEndpoint = {
  ...ofFiles,
  ...reading,
  name: 'listFiles',
  method: 'GET',
  path: '/files',
  query: ['purpose', 'limit', 'order', 'after', 'before'],
  describe: {
    tags: ['File'],
    description:
      'The files that the credential reaches, up to 10,000 at a time. A request that names a provider goes on to that provider.',
    responses: jsonAnswer('A part of the list.', {
      object: 'list',
      data: [shown],
      first_id: shown.id,
      last_id: shown.id,
      has_more: false,
    }),
  },
  async handle({ context, query, sendJson }) {
    const { data, firstId, lastId, hasMore } = await listFiles(context, listedFiles(query));
    sendJson({
      object: 'list',
      data: data.map(fileShape),
      first_id: firstId,
      last_id: lastId,
      has_more: hasMore,
    });
  },
};

const getFileContent: HandwrittenEndpoint = {
  ...ofFiles,
  ...reading,
  name: 'getFileContent',
  method: 'GET',
  path: '/files/{file_id}/content',
  describe: {
    tags: ['File'],
    description:
      'The bytes of a file, or the part that `Range` names. A request that names a provider goes on to that provider.',
    responses: {
      200: {
        description: 'The bytes.',
        content: {
          'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: 'The bytes.' },
        },
      },
    },
  },
  async handle({ context, parameters, sendFile }) {
    const { file, content } = await fileContent(context, parameters.file_id ?? '');
    await sendFile((range) => content.read(range), {
      type: 'application/octet-stream',
      name: file.filename,
      length: content.bytes,
      takesRange: true,
    });
  },
};

export const fileEndpoints: HandwrittenEndpoint[] = [uploadFile, listAll, getFileContent];
