import { MAX_PART_BYTES } from '../../../src/files/index.ts';
import { auditedCall } from '../../../src/graph/index.ts';
import {
  completionOf,
  newUpload,
  uploadShape,
  writerOf,
} from '../../../src/subgraphs/assistants/file/index.ts';
import { FORM_BYTES, readForm } from '../form.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { formOf, jsonAnswer, jsonLike, ofFiles, writing } from './of-files.ts';

const shown = {
  id: 'upload_0190a6d4c5b67e2f8a1b3c4d5e6f7a8b',
  object: 'upload',
  bytes: 1_073_741_824,
  created_at: 1_790_000_000,
  filename: 'archive.zip',
  purpose: 'assistants',
  status: 'pending',
  expires_at: 1_790_003_600,
  file: null,
};
const part = {
  id: 'part_0190a6d4c5b67e2f8a1b3c4d5e6f7a8b',
  object: 'upload.part',
  created_at: 1_790_000_000,
  upload_id: shown.id,
};

const jsonOf = (example: object) => ({
  required: true,
  content: { 'application/json': jsonLike(example) },
});

const ofUploads = { ...ofFiles, ...writing, method: 'POST' } as const;
const describe = (description: string, answer: object, requestBody?: object) => ({
  tags: ['File'],
  description,
  ...(requestBody && { requestBody }),
  responses: jsonAnswer('How it is now.', answer),
});

const createUpload: HandwrittenEndpoint = {
  ...ofUploads,
  name: 'createUpload',
  path: '/uploads',
  describe: describe(
    'Begins a file that comes in parts, of at most 8 GiB within an hour.',
    shown,
    jsonOf({
      filename: shown.filename,
      purpose: shown.purpose,
      bytes: shown.bytes,
      mime_type: 'application/zip',
    }),
  ),
  async handle({ context, readJson, sendJson }) {
    const owner = writerOf(context);
    const upload = await context.files.uploads.create(owner, newUpload(context, await readJson()));
    sendJson(uploadShape(upload, context.now()));
  },
};

const addUploadPart: HandwrittenEndpoint = {
  ...ofUploads,
  name: 'addUploadPart',
  path: '/uploads/{upload_id}/parts',
  describe: describe('Adds a part of at most 64 MiB; parts may come at the same time.', part, formOf('data')),
  async handle({ context, parameters, signal, readBytes, sendJson }) {
    const owner = writerOf(context);
    const { uploads } = context.files;
    const id = parameters.upload_id ?? '';
    const made = await readForm(
      readBytes(MAX_PART_BYTES + FORM_BYTES),
      context.request.headers['content-type'],
      {
        field: 'data',
        take: (content) => uploads.addPart(owner, id, content, signal),
        use: async ({ taken }) => taken,
        giveUp: (taken) => uploads.removePart(taken),
      },
    );
    sendJson({
      id: made._id,
      object: 'upload.part',
      created_at: Math.floor(made.createdAt.getTime() / 1000),
      upload_id: id,
    });
  },
};

const completeUpload: HandwrittenEndpoint = {
  ...ofUploads,
  name: 'completeUpload',
  path: '/uploads/{upload_id}/complete',
  describe: describe(
    'Puts the parts together in the order of their ids and makes the file, once bytes and MD5 are what was said.',
    { ...shown, status: 'completed' },
    jsonOf({ part_ids: [part.id], md5: '900150983cd24fb0d6963f7d28e17f72' }),
  ),
  async handle({ context, parameters, signal, readJson, sendJson }) {
    const owner = writerOf(context);
    const id = parameters.upload_id ?? '';
    const completion = completionOf(await readJson());
    const completed: { shape?: object } = {};
    await auditedCall(context, 'file.create', { uploadId: id }, async () => {
      const { upload, file } = await context.files.uploads.complete(owner, id, completion, signal);
      completed.shape = uploadShape(upload, context.now(), file);
      return file;
    });
    sendJson(completed.shape);
  },
};

const cancelUpload: HandwrittenEndpoint = {
  ...ofUploads,
  name: 'cancelUpload',
  path: '/uploads/{upload_id}/cancel',
  describe: describe('Gives up an upload and its parts.', { ...shown, status: 'cancelled' }),
  async handle({ context, parameters, sendJson }) {
    const owner = writerOf(context);
    const upload = await context.files.uploads.cancel(owner, parameters.upload_id ?? '');
    sendJson(uploadShape(upload, context.now()));
  },
};

export const uploadEndpoints: HandwrittenEndpoint[] = [
  createUpload,
  addUploadPart,
  completeUpload,
  cancelUpload,
];
