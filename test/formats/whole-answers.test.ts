import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wholeFormatOf } from '../../src/formats/index.ts';
import { createEventReader, type ServerSentEvent } from '../../src/lib/event-stream/index.ts';
import type { JsonObject } from '../../src/lib/json.ts';

/** The events of a stream that came in pieces cut at `cuts`. */
function eventsOf(text: string, cuts: number[] = []): ServerSentEvent[] {
  const bytes = Buffer.from(text);
  const events: ServerSentEvent[] = [];
  const reader = createEventReader((event) => events.push(event));
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index++)
    reader.feed(bytes.subarray(places[index - 1], places[index]));
  return events;
}

const formatOf = (endpoint: string) => {
  const format = wholeFormatOf(endpoint);
  if (!format) throw new Error(`${endpoint} has no format.`);
  return format;
};

const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });

const toolCall = fc.record({
  id: fc.string({ minLength: 1, maxLength: 8 }),
  type: fc.constant('function'),
  function: fc.record({ name: text, arguments: text }),
});

const chatMessage = fc.oneof(
  fc.record({ role: fc.constant('assistant'), content: text, refusal: fc.constant(null) }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
  }),
);

const chat = fc.array(chatMessage, { minLength: 1, maxLength: 3 }).map(
  (messages): JsonObject => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-test',
    choices: messages.map((message, index) => ({ index, message, finish_reason: 'stop' })),
    usage,
  }),
);

const completion = fc.array(text, { minLength: 1, maxLength: 3 }).map(
  (texts): JsonObject => ({
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model: 'gpt-test',
    choices: texts.map((each, index) => ({ index, text: each, logprobs: null, finish_reason: 'stop' })),
    usage,
  }),
);

const block = fc.oneof(
  text.map((each): JsonObject => ({ type: 'text', text: each })),
  text.map((each): JsonObject => ({ type: 'thinking', thinking: each, signature: 'sig' })),
  fc
    .record({ name: text, input: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }) })
    .map((call): JsonObject => ({ type: 'tool_use', id: 'toolu_1', ...call })),
);

const message = fc.array(block, { minLength: 1, maxLength: 4 }).map(
  (content): JsonObject => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
  }),
);

const response = text.map(
  (each): JsonObject => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-test',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: each, annotations: [] }],
      },
      {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'call_1',
        name: 'f',
        arguments: '{}',
        status: 'completed',
      },
    ],
    usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
  }),
);

/** Without what a stream has no place for. */
const comparable = (answer: JsonObject | null) =>
  JSON.parse(
    JSON.stringify(answer, (key, value) => (key === 'refusal' && value === null ? undefined : value)),
  );

describe('a kept answer as a stream', () => {
  it.each([
    ['chatComplete', chat],
    ['complete', completion],
    ['messages', message],
    ['createResponse', response],
  ] as const)('%s: tells the same, however it is cut', (endpoint, answers) => {
    const format = formatOf(endpoint);
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { maxLength: 8 }), (answer, cuts) => {
        const stream = format.replay(answer, { withUsage: true });
        expect(comparable(format.assemble(eventsOf(stream, cuts)))).toEqual(comparable(answer));
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['chatComplete', chat],
    ['complete', completion],
    ['messages', message],
    ['createResponse', response],
  ] as const)('%s: what breaks off is not kept', (endpoint, answers) => {
    const format = formatOf(endpoint);
    fc.assert(
      fc.property(answers, fc.nat(), (answer, at) => {
        const events = eventsOf(format.replay(answer, { withUsage: true }));
        expect(format.assemble(events.slice(0, at % events.length))).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('shows usage only to those who asked for it', () => {
    const [answer] = fc.sample(chat, 1);
    const stream = formatOf('chatComplete').replay(answer ?? {}, { withUsage: false });
    expect(stream).not.toContain('usage');
    expect(stream).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('puts tool calls together whose arguments came in pieces', () => {
    const piece = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const stream = [
      piece({ role: 'assistant', content: null }),
      piece({
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      piece({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
      piece({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      piece({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join('');
    expect(formatOf('chatComplete').assemble(eventsOf(stream))).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  /** A chat stream of these deltas, each a JSON text. */
  const streamOf = (deltas: string[]) =>
    [
      ...deltas.map((delta) => `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n`),
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
      'data: [DONE]\n\n',
    ].join('');
  const messageOf = (deltas: string[]) =>
    (formatOf('chatComplete').assemble(eventsOf(streamOf(deltas))) as any).choices[0].message;

  it('continues lists and objects of any size that grow chunk by chunk', () => {
    const count = 5000;
    const deltas = Array.from({ length: count }, (_, index) => `{"list":[${index}],"map":{"m${index}":1}}`);
    const { list, map } = messageOf(deltas);
    expect([list.length, list[count - 1], Object.keys(map).length]).toEqual([count, count - 1, count]);
  });

  it('reaches no prototype of other objects', () => {
    const polluting =
      '{"__proto__":{"polluted":1},"map":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}';
    const message = messageOf([polluting, polluting, '{"content":"hi"}']);
    expect(message.content).toBe('hi');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('keeps nothing that holds an error', () => {
    const stream = 'data: {"error":{"message":"overloaded"}}\n\ndata: [DONE]\n\n';
    expect(formatOf('chatComplete').assemble(eventsOf(stream))).toBeNull();
    const event = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n';
    expect(formatOf('messages').assemble(eventsOf(event))).toBeNull();
  });
});
