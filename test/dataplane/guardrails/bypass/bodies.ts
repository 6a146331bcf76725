/** Stands where a body has a text. */
export const TEXT = 'a plain text';

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
const schema = { type: 'object', properties: { a: { type: 'string', description: TEXT } } };
const chatTool = { type: 'function', function: { name: 'look_up', description: TEXT, parameters: schema } };
const toolCall = { id: 'c1', type: 'function', function: { name: 'look_up', arguments: `{"a":"${TEXT}"}` } };

const chat = {
  model: 'm',
  messages: [
    { role: 'system', content: TEXT },
    { role: 'developer', content: [{ type: 'text', text: TEXT }] },
    { role: 'user', content: TEXT, name: 'Ann Example' },
    { role: 'assistant', content: TEXT, reasoning_content: TEXT, refusal: TEXT, tool_calls: [toolCall] },
    { role: 'tool', tool_call_id: 'c1', content: TEXT },
    {
      role: 'user',
      content: [{ type: 'text', text: TEXT }, image, { type: 'file', file: { filename: TEXT } }],
    },
  ],
  tools: [chatTool],
  prediction: { type: 'content', content: TEXT },
  documents: [{ title: TEXT, body: TEXT }],
};

const messages = {
  model: 'm',
  max_tokens: 9,
  system: [{ type: 'text', text: TEXT }],
  messages: [
    { role: 'user', content: TEXT },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: TEXT, signature: 'c2ln' },
        { type: 'tool_use', id: 't', name: 'look_up', input: { a: TEXT, b: { c: [TEXT] } } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: TEXT }] },
        { type: 'document', title: TEXT, source: { type: 'text', media_type: 'text/plain', data: TEXT } },
        { type: 'text', text: TEXT },
      ],
    },
  ],
  tools: [{ name: 'look_up', description: TEXT, input_schema: schema }],
};

const responses = {
  model: 'm',
  instructions: TEXT,
  input: [
    { role: 'user', content: [{ type: 'input_text', text: TEXT }] },
    { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: TEXT }] },
    { type: 'function_call', call_id: 'c', name: 'look_up', arguments: `{"a":"${TEXT}"}` },
    { type: 'function_call_output', call_id: 'c', output: TEXT },
    { role: 'user', content: TEXT },
  ],
  tools: [{ type: 'function', name: 'look_up', description: TEXT, parameters: schema }],
  prompt: { id: 'p', variables: { city: TEXT } },
};

/** By the path of an operation that takes JSON, a body with a text in every place that has one. */
export const requests: Record<string, object> = {
  '/chat/completions': chat,
  '/completions': { model: 'm', prompt: [TEXT, TEXT], suffix: TEXT },
  '/embeddings': { model: 'm', input: [TEXT, TEXT] },
  '/messages': messages,
  '/messages/count_tokens': { ...messages, max_tokens: undefined },
  '/responses': responses,
  '/images/generations': { model: 'm', prompt: TEXT, negative_prompt: TEXT },
  '/audio/speech': { model: 'm', voice: 'alloy', input: TEXT, instructions: TEXT },
  '/moderations': { model: 'm', input: [TEXT, TEXT] },
  '/rerank': { model: 'm', query: TEXT, documents: [TEXT, { text: TEXT }] },
  '/ocr': { model: 'm', document: { type: 'document_url', document_url: TEXT } },
  '/batches': { endpoint: '/v1/chat/completions', input_file_id: 'f', metadata: { note: TEXT } },
  '/batches/{batch_id}/cancel': { note: TEXT },
  '/fine_tuning/jobs': { model: 'm', training_file: 'f', suffix: TEXT },
  '/fine_tuning/jobs/{fine_tuning_job_id}/cancel': { note: TEXT },
  '/proxy/{endpoint}': { anything: TEXT, nested: [{ deep: TEXT }], [TEXT]: 1 },
};

/** Bodies of providers' own formats, on paths that are passed on. */
export const native: Record<string, object> = {
  '/v1/proxy/models/m:generateContent': {
    systemInstruction: { parts: [{ text: TEXT }] },
    contents: [
      { role: 'user', parts: [{ text: TEXT }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: TEXT } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: TEXT } } }] },
    ],
  },
  '/v1/proxy/model/m/converse': {
    system: [{ text: TEXT }],
    messages: [
      { role: 'user', content: [{ text: TEXT }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input: { a: TEXT } } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: TEXT }] } }] },
    ],
  },
  '/v1/proxy/v1/chat': { message: TEXT, preamble: TEXT, chat_history: [{ role: 'USER', message: TEXT }] },
  '/v1/proxy/v2/chat': { messages: [{ role: 'user', content: TEXT }], documents: [{ data: { text: TEXT } }] },
};

const choice = (index: number) => ({
  index,
  finish_reason: 'stop',
  message: {
    role: 'assistant',
    content: TEXT,
    reasoning_content: TEXT,
    refusal: TEXT,
    tool_calls: [toolCall],
  },
});

/** By the path of an operation what the provider answers, with a text in every place that has one. */
export const answers: Record<string, object> = {
  '/chat/completions': { id: 'x', object: 'chat.completion', model: 'm', choices: [choice(0), choice(1)] },
  '/completions': {
    id: 'x',
    object: 'text_completion',
    choices: [
      { index: 0, text: TEXT },
      { index: 1, text: TEXT },
    ],
  },
  '/responses': {
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: TEXT }] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: TEXT, annotations: [{ title: TEXT }] }],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: TEXT }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: `{"a":"${TEXT}"}` },
    ],
  },
  '/images/generations': { created: 1, data: [{ url: 'https://example.com/1.png', revised_prompt: TEXT }] },
  '/rerank': { results: [{ index: 0, document: { text: TEXT } }] },
  '/ocr': { pages: [{ index: 0, markdown: TEXT }] },
  '/proxy/{endpoint}': { anything: TEXT, nested: [{ deep: TEXT }] },
};

/** The way to a text of a body. */
export type Place = readonly (string | number)[];

/** Where a body has a text, names of members included. */
export function* placesIn(value: unknown, path: Place = []): Generator<Place> {
  if (typeof value === 'string' && value.includes(TEXT)) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield* placesIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (name === TEXT) yield [...path, `name of ${TEXT}`];
  }
}

/** The body with another text at one place. */
export function replaced(value: any, [first, ...rest]: Place, by: string): any {
  if (first === undefined) return value.replace(TEXT, () => jsonOrText(value, by));
  if (first === `name of ${TEXT}`)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name === TEXT ? by : name, member]),
    );
  const copy: any = Array.isArray(value) ? [...value] : { ...value };
  copy[first] = replaced(value[first], rest, by);
  return copy;
}

const jsonOrText = (value: string, by: string): string =>
  value.startsWith('{') ? JSON.stringify(by).slice(1, -1) : by;
