import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Script } from '../../../support/provider.ts';
import { type Forbidding, startForbidding } from './forbidding.ts';
import { chat, utf16, WORD } from './hidden.ts';

jest.setTimeout(120_000);

let world: Forbidding;
beforeAll(async () => {
  world = await startForbidding();
});
afterAll(() => world.stop());

const STREAM = 'text/event-stream';

/** An answer in pieces that come one after another. */
const answering =
  (pieces: readonly (string | Buffer)[], type = STREAM, more: object = {}): Script =>
  async (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...more });
    for (const piece of pieces) {
      response.write(piece);
      await wait(1);
    }
    response.end();
  };
const JSON_TYPE = 'application/json';
const whole = (body: object, type = JSON_TYPE) => answering([JSON.stringify(body)], type);

const frame = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, ...more }] })}\n\n`;
const first = frame({ content: 'at first nothing but good words are said ' });
const each = (text: string) => [...text].map((content) => frame({ content }));
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const DONE = 'data: [DONE]\n\n';
const marked = [first, ...each(`so ${WORD} it is `), DONE];
const text = marked.join('');
const hex = (said: string, between: string, before = '') =>
  [...Buffer.from(said)].map((byte) => before + byte.toString(16)).join(between);
const lines = (said: string) =>
  Buffer.from(said)
    .toString('base64')
    .replace(/(.{20})/g, '$1\n');
const characters = [...`so good and so ${WORD} it is `];
const struck = [...'Forbidden Phrase'].map((one) => `${one}\u0336\u0337\u0338`).join('');
const coded = '4111 1111 1111 1111'.replace(/\d/g, (digit) => `\\u003${digit}`);
const tail = ' and so on and so on and more of it';
const tool = (input: object) => ({
  ...{ type: 'message', role: 'assistant' },
  content: [{ type: 'tool_use', id: 't', name: 'f', input }],
});
const gemini = (parts: object[]) => ({
  candidates: [{ content: { role: 'model', parts } }],
  ...{ modelVersion: 'gemini-9', responseId: 'some thing' },
});
const message = (content: unknown) => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] });

const chats: Record<string, Script> = {
  'lines that end with CR': answering([text.replaceAll('\n', '\r')]),
  'lines that end with CRLF': answering([text.replaceAll('\n', '\r\n')]),
  'comments between the frames': answering(marked.map((one) => `: hi\n${one}`)),
  'data in several lines': answering(marked.map((one) => one.replace('"choices"', '\ndata: "choices"'))),
  'a byte order mark': answering([`\ufeff${text}`]),
  'a type in capitals': answering(marked, 'Text/Event-Stream; charset=utf-8'),
  'events that are called JSON': answering(marked, JSON_TYPE),
  'events that are called a text': answering(marked, 'text/plain'),
  'events that are called bytes': answering(marked, 'application/octet-stream'),
  'hex with spaces': answering([first, ...each(hex(`this is ${WORD} for you`, ' ')), DONE]),
  'hex with prefixes': answering([first, ...each(hex(`this is ${WORD} for you`, ', ', '0x')), DONE]),
  'base64 in lines': answering([first, ...each(lines(`${tail} ${WORD} ${tail}`)), DONE]),
  'escapes that are longer than what they say': answering([first, ...each(`${coded}${tail}`), DONE]),
  'strokes through a phrase': answering([first, ...each(`${struck}${tail}`), DONE]),
  'lists of parts': answering([
    first,
    ...characters.map((one) => frame({ content: [{ type: 'text', text: one }] })),
    DONE,
  ]),
  'a text that begins as a URL of data': answering([
    frame({ content: 'data: ' }),
    ...each(`${WORD}${tail}`),
    DONE,
  ]),
  'an answer that begins as a URL of data': whole(message(`Data: ${WORD}`)),
  'an answer behind a byte order mark': answering(
    [
      `\ufeff${JSON.stringify(
        message([
          { type: 'text', text: 'forbid' },
          { type: 'text', text: 'denword' },
        ]),
      )}`,
    ],
    JSON_TYPE,
  ),
  'a compressed answer': answering([gzipSync(JSON.stringify(message(WORD)))], JSON_TYPE, {
    'content-encoding': 'gzip',
  }),
  'a compressed stream': answering([gzipSync(text)], STREAM, { 'content-encoding': 'gzip' }),
};

const proxied: Record<string, Script> = {
  'events that are called JSON': answering(marked, JSON_TYPE),
  'lines of JSON': answering(
    characters.map((content) => `${JSON.stringify({ message: { role: 'assistant', content } })}\n`),
    'application/x-ndjson',
  ),
  'a list of pieces': whole(characters.map((one) => gemini([{ text: one }]))),
  'arguments of a function': whole(gemini([{ functionCall: { name: 'f', args: { id: WORD } } }])),
  'arguments of a function in a stream': answering([
    data(gemini([{ functionCall: { name: 'f', args: { status: WORD } } }])),
  ]),
  'events behind the last one': answering([
    data({ say: 'good words' }),
    data({ type: 'message_stop' }),
    ...characters.map((say) => data({ say })),
  ]),
  'events that are strings': answering(characters.map(data)),
  'events that are lists': answering(characters.map((one) => data([one]))),
  'a format that nobody knows': whole({ status: WORD }),
  'a text with an odd byte that is called a picture': answering(
    [Buffer.concat([Buffer.from(`so ${WORD} it is and more`), Buffer.of(0xff)])],
    'image/png',
  ),
  'UTF-16 that is called a picture': answering([utf16(`so ${WORD} it is and more`)], 'image/png'),
};

const arguments_: Record<string, object> = {
  'named as a setting': { status: WORD },
  'named as vectors': { values: [WORD] },
  'named as bytes': { data: WORD },
  'in a name': { [WORD]: 1 },
};

async function given(script: Script, path: string, provider: string, body: object) {
  world.provider.play(script);
  const { status, text: sent } = await world.call({ path, config: world.to(provider), body });
  const said = sent.slice(0, sent.indexOf('"hook_results"'));
  return { isDenied: status === 446 || sent.includes('"deny":true'), hasWord: said.includes(WORD), sent };
}
const denied = { isDenied: true, hasWord: false };
const asked = { ...chat('Hello'), stream: true };

describe('no marker comes out', () => {
  test.each(Object.keys(chats))('of chat: %s', async (name) => {
    const script = chats[name] as Script;
    expect(await given(script, '/v1/chat/completions', 'openai', asked)).toMatchObject(denied);
  });

  test.each(Object.keys(proxied))('of what is passed on: %s', async (name) => {
    expect(await given(proxied[name] as Script, '/v1/proxy/x', 'openai', asked)).toMatchObject(denied);
  });

  test.each(Object.keys(arguments_))('of an argument: %s', async (name) => {
    const body = { ...chat('Hello'), max_tokens: 9 };
    const script = whole(tool(arguments_[name] ?? {}));
    expect(await given(script, '/v1/messages', 'anthropic', body)).toMatchObject(denied);
  });
});

describe('what cannot be checked is left out', () => {
  test('what comes behind the end', async () => {
    const script = answering([first, frame({ content: 'forbid' }), DONE, frame({ content: 'denword' })]);
    const { sent } = await given(script, '/v1/chat/completions', 'openai', asked);
    expect(sent).toContain('"forbid"');
    expect(sent).not.toContain('denword');
  });

  test('tokens of a text that is not in their frame', async () => {
    const content = [...WORD].map((token) => ({ token, logprob: -1, bytes: null, top_logprobs: [] }));
    const script = answering([first, frame({ content: '' }, { logprobs: { content } }), DONE]);
    const { sent } = await given(script, '/v1/chat/completions', 'openai', asked);
    expect(sent).toContain('"logprobs":null');
    expect(sent).not.toContain('"token"');
  });
});
