import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { rounds } from '../../../support/long.ts';
import type { Script } from '../../../support/provider.ts';
import { disguises, markers } from './disguises.ts';
import { type Forbidding, markersAt, startForbidding } from './forbidding.ts';

jest.setTimeout(rounds(30_000, 1_200_000));

const COUNT = rounds(1, markers.length);

let world: Forbidding;
beforeAll(async () => {
  world = await startForbidding();
});
afterAll(() => world.stop());

type Frame = { event?: string; data: object | string };

const chatOf = (delta: object, index: number): Frame => ({
  data: {
    id: 'x',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index, delta, finish_reason: null }],
  },
});
const blockOf = (delta: object): Frame => ({
  event: 'content_block_delta',
  data: { type: 'content_block_delta', index: 0, delta },
});
const opened = (content_block: object): Frame[] => [
  {
    event: 'message_start',
    data: {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 1 },
      },
    },
  },
  { event: 'content_block_start', data: { type: 'content_block_start', index: 0, content_block } },
];
const eventOf = (type: string, delta: string, more: object = {}): Frame => ({
  event: type,
  data: { type, item_id: 'i', output_index: 0, content_index: 0, delta, ...more },
});

type Format = {
  path: string;
  provider: string;
  before?: readonly Frame[];
  frame(text: string, choice: number): Frame;
};

const chat = '/v1/chat/completions';
const named = { function: { name: 'f', arguments: '' }, id: 'c', type: 'function', index: 0 };
const deltas: [string, Pick<Format, 'frame' | 'before'>][] = [
  ['content', { frame: (content, choice) => chatOf({ content }, choice) }],
  ['reasoning', { frame: (reasoning_content, choice) => chatOf({ reasoning_content }, choice) }],
  ['refusal', { frame: (refusal, choice) => chatOf({ refusal }, choice) }],
  [
    'arguments of tools',
    {
      before: [chatOf({ tool_calls: [named] }, 0)],
      frame: (text) => chatOf({ tool_calls: [{ index: 0, function: { arguments: text } }] }, 0),
    },
  ],
];
const blocks: [string, Pick<Format, 'frame' | 'before'>][] = [
  [
    'text',
    { before: opened({ type: 'text', text: '' }), frame: (text) => blockOf({ type: 'text_delta', text }) },
  ],
  [
    'thinking',
    {
      before: opened({ type: 'thinking', thinking: '', signature: '' }),
      frame: (thinking) => blockOf({ type: 'thinking_delta', thinking }),
    },
  ],
  [
    'input of tools',
    {
      before: opened({ type: 'tool_use', id: 't', name: 'f', input: {} }),
      frame: (partial_json) => blockOf({ type: 'input_json_delta', partial_json }),
    },
  ],
];

/** Every format of a stream, as it comes and translated, by what carries its texts. */
const formats: [string, Format][] = [
  ...deltas.map(([name, one]): [string, Format] => [
    `chat: ${name}`,
    { path: chat, provider: 'openai', ...one },
  ]),
  ...blocks.map(([name, one]): [string, Format] => [
    `messages: ${name}`,
    { path: '/v1/messages', provider: 'anthropic', ...one },
  ]),
  ...['output_text', 'refusal', 'function_call_arguments', 'reasoning_summary_text'].map(
    (kind): [string, Format] => [
      `responses: ${kind}`,
      {
        path: '/v1/responses',
        provider: 'openai',
        frame: (text) => eventOf(`response.${kind}.delta`, text, { summary_index: 0 }),
      },
    ],
  ),
  [
    'completions',
    {
      path: '/v1/completions',
      provider: 'openai',
      frame: (text, index) => ({ data: { id: 'x', object: 'text_completion', choices: [{ index, text }] } }),
    },
  ],
  [
    'messages from chat',
    { path: '/v1/messages', provider: 'openai', frame: (content) => chatOf({ content }, 0) },
  ],
  [
    'responses from chat',
    { path: '/v1/responses', provider: 'groq', frame: (content) => chatOf({ content }, 0) },
  ],
  [
    'chat from messages',
    {
      ...{ path: chat, provider: 'anthropic', before: opened({ type: 'text', text: '' }) },
      frame: (text) => blockOf({ type: 'text_delta', text }),
    },
  ],
  [
    'passed on: chat',
    { path: '/v1/proxy/x', provider: 'openai', frame: (content) => chatOf({ content }, 1) },
  ],
  [
    'passed on: Gemini',
    {
      path: '/v1/proxy/models/m:streamGenerateContent',
      provider: 'openai',
      frame: (text) => ({ data: { candidates: [{ content: { role: 'model', parts: [{ text }] } }] } }),
    },
  ],
  [
    'passed on: a format that nobody knows',
    { path: '/v1/proxy/x', provider: 'openai', frame: (say) => ({ data: { what: [{ they: { say } }] } }) },
  ],
  ['passed on: no JSON', { path: '/v1/proxy/x', provider: 'openai', frame: (text) => ({ data: text }) }],
];

const typed = (type: string, more: object = {}): Frame => ({ event: type, data: { type, ...more } });
const endOf = (provider: string): Frame[] =>
  provider === 'anthropic'
    ? [
        typed('content_block_stop', { index: 0 }),
        typed('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
        typed('message_stop'),
      ]
    : [{ data: '[DONE]' }];

const written = ({ event, data }: Frame): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** A stream whose bytes come one by one. */
const byteByByte =
  (text: string): Script =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    response.end();
  };

const asked = { model: 'm', max_tokens: 99, stream: true };
const bodyFor = (path: string): object => {
  if (path.endsWith('/responses')) return { model: 'm', stream: true, input: 'Hello' };
  if (path.endsWith('/completions') && path !== chat) return { ...asked, prompt: 'Hello' };
  return { ...asked, messages: [{ role: 'user', content: 'Hello' }] };
};

test.each(formats)(
  '%s: no marker goes out, one character a frame and one byte a piece',
  async (_name, format) => {
    const { path, provider, before = [], frame } = format;
    const leaks: string[] = [];
    for (const [turn, [how, disguise]] of Object.entries(disguises).entries())
      for (const marker of markersAt(turn * 5, COUNT)) {
        const choice = turn % 2;
        const first = frame('at first nothing but good words are said ', choice);
        const frames = [...before, first, ...[...disguise(marker)].map((one) => frame(one, choice))];
        world.provider.play(byteByByte([...frames, ...endOf(provider)].map(written).join('')));
        const { text } = await world.call({ path, config: world.to(provider), body: bodyFor(path) });
        const said = text.slice(0, text.indexOf('hook_results'));
        const isDenied = text.includes('"deny":true') && !/\[DONE\]|message_stop/.test(text);
        if (!isDenied || said.includes(marker)) leaks.push(`${how} ${marker}`);
      }
    expect(leaks).toEqual([]);
  },
);
