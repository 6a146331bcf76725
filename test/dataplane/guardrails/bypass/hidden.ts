import { gzipSync } from 'node:zlib';

/** A marker of one word. */
export const WORD = 'forbiddenword';

/** What a test sends, with a marker where guardrails might not look. */
export type Attack = { path?: string; body: unknown; type?: string; method?: string; config?: object };

export const chat = (content: unknown, more: object = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...more,
});
const proxied = (body: unknown, type?: string): Attack => ({
  path: '/v1/proxy/x',
  body,
  ...(type !== undefined && { type }),
});
const said = (content: unknown, more: object = {}): Attack => ({ body: chat(content, more) });
const toolUse = (input: object): Attack => ({
  path: '/v1/messages',
  body: {
    ...{ model: 'm', max_tokens: 9 },
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] },
      { role: 'user', content: 'x' },
    ],
  },
});
const offered = (parameters: object): Attack =>
  said('x', { tools: [{ type: 'function', function: { name: 'f', parameters } }] });
const property = (schema: object) => ({ type: 'object', properties: { a: { type: 'string', ...schema } } });

const base64 = (text: string | Buffer) => Buffer.from(text as string).toString('base64');
export const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const bytesOf = (text: string, between: string, before = '') =>
  [...Buffer.from(text)].map((byte) => before + byte.toString(16).padStart(2, '0')).join(between);
const each = (text: string, coded: (character: string) => string) => [...text].map(coded).join('');
const digits = (character: string, count: number) =>
  character.charCodeAt(0).toString(16).padStart(count, '0');
const spoilt = (text: string, type?: string) =>
  proxied(Buffer.concat([Buffer.from(`${text} and more of it`), Buffer.of(0xff)]), type);
const sentence = `this is ${WORD} for you`;
const prose = 'a few words and then ';

/** Ways to write a text. */
export const spellings: Record<string, string> = {
  'in a text that begins as a URL of data': `data: ${WORD}`,
  'in a URL of data that is plain': `data:,${WORD}`,
  'UTF-16 in base64': base64(utf16(sentence)),
  'UTF-16 in hex': utf16(sentence).swap16().toString('hex'),
  'UTF-7': `+${base64(utf16(sentence).swap16()).replace(/=+$/, '')}-`,
  'base64 of URLs': base64(`?>?>${sentence}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  'base64 behind much else': base64(`${prose.repeat(4000)} ${WORD} `),
  'base64 among bytes': base64(
    Buffer.concat([Buffer.alloc(40, 0xff), Buffer.from(WORD), Buffer.alloc(40, 0xfe)]),
  ),
  'hex with spaces': bytesOf(`see ${WORD} here`, ' '),
  'hex with colons': bytesOf(`see ${WORD} here`, ':'),
  'hex with prefixes': bytesOf(`see ${WORD} here`, ', ', '0x'),
  'hex in groups of two bytes': Buffer.from(sentence).toString('hex').replace(/.{4}/g, '$& '),
  'hex in groups of three bytes': Buffer.from(WORD).toString('hex').replace(/.{6}/g, '$& '),
  'hex in groups of many sizes': Buffer.from(WORD)
    .toString('hex')
    .replace(/(..)(....)/g, '$1 $2 '),
  'base64 in short lines': base64(sentence).replace(/.{8}/g, '$&\n'),
  'hex in lines': bytesOf(`see ${WORD} here`, '\n'),
  'escapes with %u': each(WORD, (one) => `%u${digits(one, 4)}`),
  'escapes with \\U': each(WORD, (one) => `\\U${digits(one, 8)}`),
  'an escape in front of digits': 'say zq-\\u0037718-xx now',
  'escapes word by word': 'say %46orbidden %50hrase now',
  'strokes through letters': each(WORD, (one) => `${one}\u0336`),
  'small capitals': 'ꜰᴏʀʙɪᴅᴅᴇɴᴡᴏʀᴅ',
  'JSON in JSON in JSON': JSON.stringify(JSON.stringify(JSON.stringify('C:\\Windows\\forbidden.dll'))),
  'behind a thousand coded runs': `${'%41 '.repeat(1100)}${base64(sentence)} %66orbiddenword`,
};

const split = ['so forbid', 'denword'] as const;
const parts = (between: object) => [
  { type: 'text', text: split[0], ...between },
  { type: 'text', text: split[1] },
];

/** Places of a request. */
export const places: Record<string, Attack> = {
  'a file of text in a URL': said([
    { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${base64(WORD)}` } },
  ]),
  'a document of one word': {
    path: '/v1/messages',
    body: {
      ...{ model: 'm', max_tokens: 9 },
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: WORD } }],
        },
      ],
    },
  },
  'an argument that is named as a setting is': toolUse({ status: WORD }),
  'an argument that is named as bytes are': toolUse({ data: WORD }),
  'an argument that is named as vectors are': toolUse({ values: [WORD], embedding: WORD, usage: WORD }),
  'the name of an argument': toolUse({ [WORD]: 1 }),
  'what a function of Gemini answers': {
    path: '/v1/proxy/models/m:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ functionResponse: { name: 'f', response: { status: WORD } } }] }],
    },
  },
  'what a tool of Bedrock answers': {
    path: '/v1/proxy/model/m/converse',
    body: {
      messages: [
        { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ json: { id: WORD } }] } }] },
      ],
    },
  },
  'a schema: a member named values': offered({
    type: 'object',
    properties: { values: { type: 'string', description: WORD } },
  }),
  'a schema: a format': offered(property({ format: WORD })),
  'a schema: a choice': offered(property({ enum: [WORD] })),
  'a schema: a name': offered({ type: 'object', properties: { [WORD]: { type: 'string' } } }),
  'the name of a function': said('x', { tools: [{ type: 'function', function: { name: WORD } }] }),
  'a stop sequence': said('x', { stop: [WORD] }),
  'the user': said('x', { user: WORD }),
  'a label': said('x', { metadata: { status: WORD } }),
  'the name of a label': said('x', { metadata: { [WORD]: 'x' } }),
  'a prediction': said('x', { prediction: { type: 'content', content: WORD } }),
  'a member of answers: usage': said('x', { usage: { text: WORD } }),
  'a member of answers: logprobs': said('x', { logprobs: WORD }),
  'a member of answers: hook_results': said('x', { hook_results: WORD }),
  'the name of a token': said('x', { logit_bias: { [`a ${WORD}`]: 1 } }),
  'a signature': {
    path: '/v1/messages',
    body: {
      ...{ model: 'm', max_tokens: 9 },
      messages: [
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: WORD }] },
        { role: 'user', content: 'x' },
      ],
    },
  },
  'two parts with something unknown between them': said(parts({ junk: 'some other' })),
  'two parts with a text between them that nobody reads': said(parts({ output: 'some other' })),
  'two parts of two million characters': said([
    { type: 'text', text: `${'lorem ip '.repeat(230_000)}${split[0]}` },
    { type: 'text', text: split[1] },
  ]),
  'members in another case': said('x', { Messages: [{ Role: 'user', Content: WORD }] }),
  'a format that nobody knows: a setting': proxied({ a: { category: WORD } }),
  'a format that nobody knows: bytes': proxied({ image: `the_${WORD}_and_more_words_1` }),
  'a format that nobody knows: a name': proxied({ a: { [WORD]: 1 } }),
  'fields of a browser': proxied('a=b&text=Forbidden+Phrase', 'application/x-www-form-urlencoded'),
  'a list that says things twice': proxied(`[{"text":"${WORD}","text":"x"}]`),
  'bytes that are no UTF-8': spoilt(WORD, 'text/plain'),
  'bytes that are no UTF-8, as a picture': spoilt(WORD, 'image/png'),
  'UTF-16': proxied(utf16(JSON.stringify(chat(WORD)))),
  'JSON behind a byte order mark': proxied(Buffer.from(`\ufeff${JSON.stringify(chat(parts({})))}`)),
  'bytes that are compressed': proxied(gzipSync(JSON.stringify(chat(WORD)))),
  'numbers of tokens': { path: '/v1/embeddings', body: { model: 'm', input: [1, 2, 3] } },
  'numbers of tokens in lists': { path: '/v1/embeddings', body: { model: 'm', input: [[1, 2], [3]] } },
  'numbers of tokens between texts': { path: '/v1/completions', body: { model: 'm', prompt: [12, 'x', 13] } },
  'numbers of tokens beside the prompt': proxied({ prompt: 'x', prompt_token_ids: [1, 2, 3] }),
  'numbers of tokens of earlier answers': proxied({ model: 'm', prompt: 'x', context: [1, 2, 3] }),
  'vectors of words': proxied({ model: 'm', prompt_embeds: 'gAECAwQF+vv8' }),
  'parameters of the config': {
    ...said('x'),
    config: { override_params: { messages: [{ role: 'user', content: WORD }] } },
  },
  'defaults of the config': { ...said('x'), config: { default_params: { instructions: `say ${WORD}` } } },
  'a path that is passed on': { path: `/v1/proxy/x/${WORD}`, body: { a: 'xxxx' } },
  'a path that is passed on without a body': {
    ...{ method: 'GET', path: '/v1/proxy/x/Forbidden%20Phrase', body: null },
  },
  'a query': { method: 'GET', path: '/v1/proxy/x?q=Forbidden+Phrase', body: null },
};

const part = (head: string, value: string | Buffer = 'x') =>
  Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), Buffer.from(value as string), Buffer.from('\r\n')]);
const disposed = (more: string, value?: string | Buffer) =>
  part(`content-disposition: form-data; ${more}`, value);
const form = (...all: Buffer[]) => Buffer.concat([...all, Buffer.from('--b--\r\n')]);
const file = 'name="file"; filename="a.txt"\r\ncontent-type: text/plain';

/** Forms with the boundary `b`. */
export const forms: Record<string, Buffer> = {
  'the name of a field': form(disposed(`name="${WORD}"`)),
  'the name of a file without quotes': form(disposed(`name="file"; filename=${WORD}`)),
  'the name of a file in other words': form(disposed(`name="file"; filename*=UTF-8''${WORD}`)),
  'a header of a part': form(disposed(`name="a"\r\ncontent-description: ${WORD}`)),
  'a part in base64': form(disposed('name="a"\r\ncontent-transfer-encoding: base64', base64(WORD))),
  'a field in UTF-16': form(
    disposed('name="a"\r\ncontent-type: text/plain; charset=utf-16', utf16(sentence)),
  ),
  'a field that is no text': form(disposed('name="a"', Buffer.of(0xff, 0xfe, 0xfd, 0x80))),
  'a field with an odd byte': form(
    disposed('name="a"', Buffer.concat([Buffer.from(sentence), Buffer.of(0xff)])),
  ),
  'a file with an odd byte': form(disposed(file, Buffer.concat([Buffer.from(sentence), Buffer.of(0xff)]))),
  'a file in UTF-16': form(disposed(file, utf16(sentence))),
  'text in front of the first part': Buffer.concat([Buffer.from(`${WORD}\r\n`), form(disposed('name="a"'))]),
  'text behind the last part': Buffer.concat([form(disposed('name="a"')), Buffer.from(WORD)]),
  'two fields': form(disposed('name="a"', 'forbid'), disposed('name="a"', 'denword')),
};
