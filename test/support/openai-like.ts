import type { ServerResponse } from 'node:http';
import { chatAnswer, chatFrames, type ReceivedRequest, type Script } from './provider.ts';

type Json = Record<string, any>;
type Asked = { body: Json; form: FormData };
/** Throws a message for a request that OpenAI would not take; `undefined` has answered by itself. */
type Endpoint = (asked: Asked, response: ServerResponse) => Promise<unknown> | unknown;

export const audio = Buffer.from([0x49, 0x44, 0x33, 0, 255, 254, 13, 10]);
export const fileRows = '{"custom_id":"a"}\n';
export const vector = [0.5, -0.25, 1];
const floats = Buffer.from(new Float32Array(vector).buffer);

function need(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

const plainModel = ({ model }: Json) =>
  need(typeof model === 'string' && !model.includes('@'), 'model must be a name that the provider knows');

const fileOf = (form: FormData, name: string): Blob => {
  const file = form.get(name);
  need(file instanceof Blob && file.size > 0, `${name} must be a file`);
  return file;
};

function events(response: ServerResponse, frames: string[]): undefined {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of frames) response.write(frame);
  response.end();
}

const file = {
  id: 'file-1',
  object: 'file',
  bytes: 18,
  created_at: 1,
  filename: 'a.jsonl',
  purpose: 'batch',
};
const batch = {
  id: 'batch_1',
  object: 'batch',
  status: 'completed',
  input_file_id: 'file-1',
  output_file_id: 'file-2',
};
const job = { id: 'ftjob-1', object: 'fine_tuning.job', status: 'queued', model: 'gpt-4o-mini' };
const list = (...data: Json[]) => ({ object: 'list', data, has_more: false });
const responseObject = (rest: Json = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-4o',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi there', annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  ...rest,
});

const toolCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Bonn"}' },
};

function chat({ body }: Asked, response: ServerResponse): unknown {
  plainModel(body);
  need(Array.isArray(body.messages) && body.messages.length > 0, 'messages must not be empty');
  const asksForTool = body.tools && body.messages.at(-1).role === 'user';
  if (body.stream) return events(response, chatFrames(['Hi', ' there']));
  if (body.response_format?.type === 'json_schema') return chatAnswer('{"city":"Bonn"}');
  if (!asksForTool) return chatAnswer('Hi there');
  const answer = chatAnswer('');
  const [choice] = answer.choices;
  return {
    ...answer,
    choices: [
      {
        ...choice,
        message: { role: 'assistant', content: null, tool_calls: [toolCall] },
        finish_reason: 'tool_calls',
      },
    ],
  };
}

function embeddings({ body }: Asked): unknown {
  plainModel(body);
  const inputs: unknown[] = Array.isArray(body.input) ? body.input : [body.input];
  const embedding = body.encoding_format === 'base64' ? floats.toString('base64') : vector;
  return {
    ...list(...inputs.map((_input, index) => ({ object: 'embedding', index, embedding }))),
    model: body.model,
    usage: { prompt_tokens: 2, total_tokens: 2 },
  };
}

function image({ body }: Asked): unknown {
  plainModel(body);
  need(body.prompt, 'prompt is required');
  return { created: 1, data: [{ b64_json: audio.toString('base64') }] };
}

function imageOfForm({ form }: Asked): unknown {
  plainModel({ model: form.get('model') });
  fileOf(form, 'image');
  return { created: 1, data: [{ url: 'https://example.com/1.png' }] };
}

function speech({ body }: Asked, response: ServerResponse): undefined {
  plainModel(body);
  need(body.input && body.voice, 'input and voice are required');
  response.writeHead(200, { 'content-type': 'audio/mpeg' });
  response.write(audio.subarray(0, 3));
  response.end(audio.subarray(3));
}

async function transcription({ form }: Asked, response: ServerResponse): Promise<unknown> {
  plainModel({ model: form.get('model') });
  need(audio.equals(Buffer.from(await fileOf(form, 'file').arrayBuffer())), 'file must be the recording');
  if (form.get('stream') !== 'true') return { text: 'Hi there' };
  return events(response, [
    'data: {"type":"transcript.text.delta","delta":"Hi there"}\n\n',
    'data: {"type":"transcript.text.done","text":"Hi there"}\n\n',
    'data: [DONE]\n\n',
  ]);
}

async function upload({ form }: Asked): Promise<unknown> {
  need(form.get('purpose') === 'batch', 'purpose must be batch');
  need((await fileOf(form, 'file').text()) === fileRows, 'file must be the rows');
  return file;
}

function responses({ body }: Asked, response: ServerResponse): unknown {
  plainModel(body);
  need(body.input, 'input is required');
  if (!body.stream) return responseObject();
  const event = (type: string, rest: Json) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  return events(response, [
    event('response.created', { response: responseObject({ status: 'in_progress', output: [] }) }),
    event('response.output_text.delta', {
      delta: 'Hi there',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
    }),
    event('response.completed', { response: responseObject() }),
  ]);
}

function completion({ body }: Asked): unknown {
  plainModel(body);
  return {
    ...chatAnswer(''),
    object: 'text_completion',
    choices: [{ index: 0, text: 'Hi there', finish_reason: 'stop' }],
  };
}

function moderation({ body }: Asked): unknown {
  plainModel(body);
  return { id: 'modr-1', model: body.model, results: [{ flagged: false }] };
}

function createBatch({ body }: Asked): unknown {
  need(body.endpoint === '/v1/chat/completions', 'endpoint is required');
  return batch;
}

function createJob({ body }: Asked): unknown {
  plainModel(body);
  return job;
}

const endpoints: Record<string, Endpoint> = {
  'POST /chat/completions': chat,
  'POST /completions': completion,
  'POST /embeddings': embeddings,
  'POST /images/generations': image,
  'POST /images/edits': imageOfForm,
  'POST /images/variations': imageOfForm,
  'POST /audio/speech': speech,
  'POST /audio/transcriptions': transcription,
  'POST /audio/translations': transcription,
  'POST /moderations': moderation,
  'GET /models': () => list({ id: 'gpt-4o', object: 'model', created: 1, owned_by: 'system' }),
  'GET /models/gpt-4o': () => ({ id: 'gpt-4o', object: 'model', created: 1, owned_by: 'system' }),
  'DELETE /models/ft:mine': () => ({ id: 'ft:mine', object: 'model', deleted: true }),
  'GET /files': () => list(file),
  'POST /files': upload,
  'GET /files/file-1': () => file,
  'DELETE /files/file-1': () => ({ id: 'file-1', object: 'file', deleted: true }),
  'GET /files/file-1/content': (_asked, response) => void response.end(fileRows),
  'POST /batches': createBatch,
  'GET /batches': () => list(batch),
  'GET /batches/batch_1': () => batch,
  'POST /batches/batch_1/cancel': () => ({ ...batch, status: 'cancelling' }),
  'POST /fine_tuning/jobs': createJob,
  'GET /fine_tuning/jobs': () => list(job),
  'GET /fine_tuning/jobs/ftjob-1': () => job,
  'POST /fine_tuning/jobs/ftjob-1/cancel': () => ({ ...job, status: 'cancelled' }),
  'GET /fine_tuning/jobs/ftjob-1/events': () =>
    list({ id: 'ftevent-1', object: 'fine_tuning.job.event', message: 'queued' }),
  'GET /fine_tuning/jobs/ftjob-1/checkpoints': () =>
    list({ id: 'ftckpt-1', object: 'fine_tuning.job.checkpoint' }),
  'POST /responses': responses,
  'GET /responses/resp_1': () => responseObject(),
  'DELETE /responses/resp_1': (_asked, response) => void response.end(),
  'GET /responses/resp_1/input_items': () =>
    list({ id: 'msg_0', type: 'message', role: 'user', content: [] }),
};

async function askedOf({ headers, body }: ReceivedRequest): Promise<Asked> {
  const type = String(headers['content-type'] ?? '');
  const isForm = type.startsWith('multipart/form-data');
  const form = isForm
    ? await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    : new FormData();
  return { body: /json/.test(type) && body.length > 0 ? JSON.parse(body.toString()) : {}, form };
}

/** Answers like OpenAI, with this key alone, and refuses what OpenAI would refuse. */
export const openAiLike =
  (key: string): Script =>
  async (request, response) => {
    const reply = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const refuse = (status: number, message: string) =>
      reply(status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
    if (request.headers.authorization !== `Bearer ${key}`) return refuse(401, 'Incorrect API key.');
    const path = decodeURIComponent(request.url.replace(/^\/v1/, '').split('?')[0] ?? '');
    const endpoint = endpoints[`${request.method} ${path}`];
    if (!endpoint) return refuse(404, `Unknown request URL: ${request.method} ${path}.`);
    try {
      const answer = await endpoint(await askedOf(request), response);
      if (answer !== undefined) reply(200, answer);
    } catch (error) {
      refuse(400, (error as Error).message);
    }
  };
