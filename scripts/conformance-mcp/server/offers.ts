type Json = Record<string, unknown>;

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without a sample. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (said: string): Json => ({ type: 'text', text: said });
const embedded = (uri: string, mimeType: string, said: string): Json => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});
const image: Json = { type: 'image', data: PNG, mimeType: 'image/png' };

/** Contents of the tools that answer the same each time. */
export const contents: Readonly<Record<string, readonly Json[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_logging_tool: [text('Nothing was logged.')],
  test_streaming_elicitation: [text('Nothing was asked.')],
};

/** A schema with the words of JSON Schema 2020-12 that a gateway may lose. */
const wordySchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const argument = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const schemas: Readonly<Record<string, object>> = {
  test_sampling: argument('prompt'),
  test_elicitation: argument('message'),
  json_schema_2020_12_tool: wordySchema,
};

const tool = (name: string): Json => ({
  name,
  description: `${name} of the conformance suite.`,
  inputSchema: schemas[name] ?? { type: 'object', properties: {} },
});

export const tools = (names: readonly string[]): Json[] => names.map(tool);

const needed = (name: string): Json => ({ name, description: `The argument ${name}.`, required: true });

export const prompts: readonly Json[] = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
  { name: 'test_prompt_with_arguments', description: 'A prompt.', arguments: ['arg1', 'arg2'].map(needed) },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource.',
    arguments: [needed('resourceUri')],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image.' },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks first.' },
];

const user = (content: Json): Json => ({ role: 'user', content });

/** The messages of a prompt; null for one that is not there. */
export function messagesOf(name: unknown, given: Readonly<Record<string, unknown>>): Json[] | null {
  if (name === 'test_simple_prompt') return [user(text('This is a simple prompt for testing.'))];
  if (name === 'test_prompt_with_arguments')
    return [user(text(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`))];
  if (name === 'test_prompt_with_embedded_resource')
    return [
      user(embedded(String(given.resourceUri), 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ];
  if (name === 'test_prompt_with_image') return [user(image), user(text('Please analyze the image above.'))];
  return null;
}

const resource = (uri: string, mimeType: string): Json => ({ uri, name: uri, description: uri, mimeType });

export const resources: readonly Json[] = [
  resource('test://static-text', 'text/plain'),
  resource('test://static-binary', 'image/png'),
  resource('test://watched-resource', 'text/plain'),
];

export const templates: readonly Json[] = [
  { uriTemplate: 'test://template/{id}/data', name: 'data', mimeType: 'application/json' },
];

/** What a resource says; null for one that is not there. */
export function readingOf(uri: string): Json | null {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  const known = resources.some((each) => each.uri === uri);
  return known ? { uri, mimeType: 'text/plain', text: `This is the content of ${uri}.` } : null;
}
