import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { UsageHider } from '../../src/dataplane/answer/hide-usage.ts';
import { errorBody, errorText, parsedError } from '../../src/dataplane/answer/provider-error.ts';
import { gated, HOLD_LIMIT_MS } from '../../src/dataplane/leg/layers/gate-stream.ts';
import { askForUsage, withoutRefusedOptions } from '../../src/dataplane/request/ask-usage.ts';
import type { OutgoingBody } from '../../src/dataplane/request/body.ts';
import type { UpstreamSink } from '../../src/dataplane/send/upstream.ts';
import { streamFormatOf } from '../../src/formats/index.ts';
import { Gate, MAX_HELD_BYTES, MAX_HELD_EVENTS } from '../../src/formats/stream/gate.ts';
import type { StreamEventKind } from '../../src/formats/stream/stream-format.ts';
import { WholeLines } from '../../src/formats/stream/whole-lines.ts';
import { findProvider, type Provider } from '../../src/providers/index.ts';
import { emptyPlan, type Leaf } from '../../src/routing-config/plan.ts';

const chat = streamFormatOf('chatComplete');
const messages = streamFormatOf('messages');
const responses = streamFormatOf('createResponse');
const other = streamFormatOf('imageGenerate');

const event = (value: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const delta = (delta: object, more: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const typed = (type: string, more: object = {}) => event({ type, ...more }, type);

const chatOpening = `: ping\n\n${event(delta({ role: 'assistant', content: '' }))}`;
const messagesOpening =
  typed('message_start', { message: { usage: {} } }) + typed('content_block_start') + typed('ping');
const responsesOpening =
  typed('response.created') + typed('response.in_progress') + typed('response.output_item.added');
const openings = [
  ['chat', chat, chatOpening, event(delta({ content: 'grüße 🙂' }))],
  ['messages', messages, messagesOpening, typed('content_block_delta', { delta: { text: 'ö' } })],
  ['responses', responses, responsesOpening, typed('response.output_text.delta', { delta: '🙂' })],
] as const;

/** The bytes in two pieces, cut at every place. */
function* cuts(text: string): Generator<Buffer[]> {
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

const inPieces = (text: string, sizes: number[]): Buffer[] => {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
};

describe('a stream that opens', () => {
  const kindAfter = (format: typeof chat, pieces: Buffer[]): StreamEventKind => {
    const gate = new Gate(format);
    let kind: StreamEventKind = 'opening';
    for (const piece of pieces) if (kind === 'opening') kind = gate.push(piece);
    return kind;
  };

  test.each(openings)(
    '%s: is held until its first content, however it is cut',
    (_name, format, opening, content) => {
      for (const text of [opening + content, (opening + content).replaceAll('\n', '\r\n')]) {
        for (const pieces of cuts(text)) expect(kindAfter(format, pieces)).toBe('content');
        expect(kindAfter(format, inPieces(text, [1]))).toBe('content');
      }
      for (const pieces of cuts(opening)) expect(kindAfter(format, pieces)).toBe('opening');
      // Not a byte before the event is whole: a broken connection could still take it away.
      expect(kindAfter(format, [Buffer.from((opening + content).slice(0, -1))])).toBe('opening');
    },
  );

  test('what is held comes out as it came', () => {
    const gate = new Gate(chat);
    expect(gate.held()).toBeNull();
    for (const piece of inPieces(chatOpening, [3, 7])) gate.push(piece);
    expect(gate.held()?.toString()).toBe(chatOpening);
  });

  test('is not held beyond a number of events and of bytes', () => {
    const ping = event(delta({ role: 'assistant' }));
    expect(kindAfter(chat, [Buffer.from(ping.repeat(MAX_HELD_EVENTS - 1))])).toBe('opening');
    expect(kindAfter(chat, [Buffer.from(ping.repeat(MAX_HELD_EVENTS))])).toBe('content');
    expect(kindAfter(chat, inPieces(`: ${'x'.repeat(MAX_HELD_BYTES)}`, [10_000]))).toBe('content');
    expect(kindAfter(chat, inPieces(`data: ${'x'.repeat(2 * MAX_HELD_BYTES)}`, [10_000]))).toBe('content');
  });

  test.each([
    ['a tool call', chat, event(delta({ tool_calls: [{ index: 0 }] }))],
    ['reasoning', chat, event(delta({ reasoning_content: 'hm' }))],
    ['a text', chat, event({ choices: [{ text: 'a', index: 0, finish_reason: null }] })],
    ['an end', chat, event({ choices: [{ delta: {}, finish_reason: 'length' }] })],
    ['[DONE]', chat, event('[DONE]')],
    ['JSON of another kind', chat, event({ first: true })],
    ['no JSON', chat, event('{"choices":[')],
    ['a thinking delta', messages, typed('content_block_delta')],
    ['the end of a message', messages, typed('message_delta')],
    ['a response that is done at once', responses, typed('response.completed')],
    ['anything of another endpoint', other, typed('image_generation.partial_image')],
  ])('%s is content', (_name, format, text) => {
    expect(kindAfter(format, [Buffer.from(text)])).toBe('content');
  });

  test.each([
    [chat, event({ error: { message: 'x', type: 'server_error' } }), 500],
    [chat, event({ error: { message: 'x', code: 'rate_limit_exceeded' } }), 429],
    [chat, event({ error: { message: 'x', code: 429, status: 'RESOURCE_EXHAUSTED' } }), 429],
    [chat, event({ error: { message: 'x', code: '503' } }), 503],
    [chat, event({ error: { message: 'x', status: 'UNAVAILABLE' } }), 503],
    [chat, event({ error: 'words' }), 500],
    [chat, event({ object: 'error', message: 'x', code: 400 }), 400],
    [chat, event({ error: { message: 'x', code: 'constructor' } }), 500],
    [chat, event({ message: 'x', status_code: 502 }, 'error'), 502],
    [messages, typed('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }), 529],
    [messages, typed('error', { error: { type: 'rate_limit_error', message: 'x' } }), 429],
    [messages, typed('error', { error: { type: 'invalid_request_error', message: 'x' } }), 400],
    [responses, typed('error', { code: 'server_error', message: 'x' }), 500],
    [responses, typed('response.failed', { response: { error: { code: 'rate_limit_exceeded' } } }), 429],
    [other, typed('error', { error: { code: 'insufficient_quota' } }), 429],
  ])(
    'an error at its beginning has the status that it would have had as an answer',
    (format, text, status) => {
      for (const pieces of cuts(`: hi\n\n${text}`))
        expect(kindAfter(format, pieces)).toMatchObject({ status });
    },
  );
});

describe('how a stream ended', () => {
  test.each([
    [chat, event(delta({ content: 'a' })) + event('[DONE]'), 'complete'],
    [
      chat,
      event({ choices: [{ delta: {}, finish_reason: 'stop' }] }) + event({ choices: [], usage: {} }),
      'complete',
    ],
    [chat, event(delta({ content: 'a' })), 'cut'],
    [chat, event(delta({ content: '\ndata: [DONE]' })), 'cut'],
    [chat, event(delta({ content: '"finish_reason":"stop"' })), 'cut'],
    [chat, event(delta({ content: 'a' })) + event({ error: { message: 'x' } }) + event('[DONE]'), 'error'],
    [chat, event({ choices: [{ delta: { content: '' }, finish_reason: 'error' }] }), 'error'],
    [chat, 'data: 1\n\n', 'foreign'],
    [messages, typed('content_block_delta') + typed('message_stop'), 'complete'],
    [messages, typed('content_block_delta'), 'cut'],
    [messages, typed('content_block_delta') + typed('error', { error: {} }), 'error'],
    [messages, 'data: 1\n\n', 'foreign'],
    [responses, typed('response.output_text.delta') + typed('response.completed'), 'complete'],
    [responses, `x"y":1}${'z'.repeat(100)}\n\n`, 'complete'],
    [responses, typed('response.output_text.delta') + typed('response.incomplete'), 'complete'],
    [responses, typed('response.output_text.delta'), 'cut'],
    [responses, typed('response.output_text.delta') + typed('response.failed'), 'error'],
    [other, typed('image_generation.completed'), 'complete'],
    [other, typed('error'), 'error'],
  ])('%#', (format, tail, ending) => {
    expect(format.endingOf(tail)).toBe(ending);
    expect(format.endingOf(tail.replaceAll('\n', '\r\n'))).toBe(ending);
  });

  test('the event of a failure is numbered like the others of a response', () => {
    const failure = { message: 'x', type: 't', code: 'c' };
    expect(responses.failure(failure, typed('response.created', { sequence_number: 41 }))).toContain(
      '"sequence_number":42',
    );
    expect(responses.failure(failure, '')).toContain('"sequence_number":0');
  });
});

describe('whole lines', () => {
  const through = (pieces: Buffer[]) => {
    const lines = new WholeLines();
    const passed = pieces.map((piece) => lines.take(piece));
    return { passed, rest: lines.rest() };
  };

  test('nothing is lost or changed, and what passes ends with a line, however it is cut', () => {
    const text = 'data: {"a":"ü🙂"}\r\n\r\ndata: b\n\n: c\rdata: d\r\rend';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        const { passed, rest } = through(inPieces(text, sizes));
        const whole = Buffer.concat(passed.filter((piece) => piece !== null));
        expect(Buffer.concat([whole, rest ?? Buffer.alloc(0)]).toString()).toBe(text);
        expect(rest?.toString()).toBe('end');
        for (const piece of passed) if (piece) expect(piece.toString()).toMatch(/[\r\n]$/);
      }),
    );
  });

  test('what is whole is not copied', () => {
    const piece = Buffer.from('data: 1\n\n');
    expect(through([piece]).passed[0]).toBe(piece);
  });

  test('a line without an end goes on in pieces', () => {
    const { passed, rest } = through(inPieces('x'.repeat(1_000_000), [65_536]));
    const size = passed.reduce((sum, piece) => sum + (piece?.length ?? 0), 0);
    expect(size + (rest?.length ?? 0)).toBe(1_000_000);
    expect(rest?.length ?? 0).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('token counts that the caller did not ask for', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const said = 'ü "usage":null, {"usage": {}} 🙂';
  const shown = [
    ': hello\n\n',
    event(delta({ role: 'assistant', content: '' }, { usage: null })),
    event(delta({ content: said }, { usage: null, obfuscation: 'x' })),
    'data: {"usage" : null, "choices":[{"delta":{"content":"b"}}]}\n\n',
    event({ id: 'c', choices: [], prompt_filter_results: [] }),
    event({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: counts }),
    event({ id: 'c', choices: [], usage: counts }),
    event('[DONE]'),
  ];
  const hidden = [
    ': hello\n\n',
    event(delta({ role: 'assistant', content: '' })),
    event(delta({ content: said }, { obfuscation: 'x' })),
    'data: { "choices":[{"delta":{"content":"b"}}]}\n\n',
    event({ id: 'c', choices: [], prompt_filter_results: [] }),
    event({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: counts }),
    event('[DONE]'),
  ];

  function visible(pieces: Buffer[]): string {
    const lines = new WholeLines();
    const hider = new UsageHider();
    const kept: Buffer[] = [];
    for (const piece of pieces) {
      const whole = lines.take(piece);
      const left = whole && hider.filter(whole);
      if (left) kept.push(left);
    }
    const rest = lines.rest();
    const left = rest && hider.filter(rest);
    return Buffer.concat(left ? [...kept, left] : kept).toString();
  }

  const endings = [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ] as const;

  test.each(endings)('do not show, cut at any byte, with %s', (_name, end) => {
    const [from, to] = [shown.join('').replaceAll('\n', end), hidden.join('').replaceAll('\n', end)];
    for (const pieces of cuts(from)) expect(visible(pieces)).toBe(to);
  });

  test.each(endings)('nor in any number of pieces, with %s', (_name, end) => {
    const [from, to] = [shown.join('').replaceAll('\n', end), hidden.join('').replaceAll('\n', end)];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        expect(visible(inPieces(from, sizes))).toBe(to);
      }),
    );
  });

  test('nor at an end without a line end', () => {
    expect(visible([Buffer.from(`data: {"choices":[],"usage":{"total_tokens":1}}`)])).toBe('');
  });

  test('an event with an id of its own keeps its end', () => {
    expect(visible([Buffer.from('id: 7\ndata: {"choices":[],"usage":{}}\n\ndata: x\n\n')])).toBe(
      'id: 7\n\ndata: x\n\n',
    );
  });

  test('lines without usage pass as they are', () => {
    const piece = Buffer.from(event(delta({ content: 'a' })));
    expect(new UsageHider().filter(piece)).toBe(piece);
  });
});

describe('asking for token counts', () => {
  const openai = findProvider('openai') as Provider;
  const leaf = emptyPlan as Leaf;
  const body = (json: string): OutgoingBody => ({
    content: Buffer.from(json),
    value: JSON.parse(json) as Record<string, unknown>,
    changed: false,
    growth: 0,
  });
  const asked = (
    json: string,
    provider = openai,
    endpoint: 'chatComplete' | 'embed' = 'chatComplete',
    plan = leaf,
  ) => askForUsage({ body: body(json), target: { provider }, leaf: plan, limits: null }, endpoint);

  test('adds one member to the bytes of a streamed call and changes no other', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom('', ' ', '\n\t '),
        (fields, space) => {
          const { stream_options: _none, ...others } = fields;
          const json = JSON.stringify({ ...others, stream: true }, null, space.length) + space;
          const { content, hidesUsage } = asked(json);
          expect(JSON.parse(String(content))).toEqual({
            ...JSON.parse(json),
            stream_options: { include_usage: true },
          });
          expect(hidesUsage).toBe(true);
        },
      ),
    );
  });

  test.each([
    ['null', { include_usage: true }],
    ['{}', { include_usage: true }],
    [
      '{"include_usage":false,"include_obfuscation":false}',
      { include_usage: true, include_obfuscation: false },
    ],
  ])('goes into stream_options %s', (options, expected) => {
    const { content } = asked(`{"stream":true,"stream_options":${options}}`);
    expect(JSON.parse(String(content)).stream_options).toEqual(expected);
  });

  test.each([
    ['the caller asked', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['nothing is streamed', '{"stream":false}'],
    ['the options are nonsense', '{"stream":true,"stream_options":"all"}'],
  ])('is left where %s', (_name, json) => {
    expect(asked(json)).toEqual(body(json));
  });

  test('is left where provider, endpoint or config would not have it', () => {
    const json = '{"stream":true}';
    for (const id of ['mistral-ai', 'passthrough', 'perplexity-ai'])
      expect(asked(json, findProvider(id) as Provider).hidesUsage).toBeUndefined();
    expect(asked(json, openai, 'embed').hidesUsage).toBeUndefined();
    const dropping = { ...leaf, dropParams: ['stream_options'] };
    expect(asked(json, openai, 'chatComplete', dropping).hidesUsage).toBeUndefined();
  });

  test('is taken back from a request of our own where the provider refuses it', () => {
    const own = body('{"stream":true,"stream_options":{"include_usage":true}}');
    const { content, value } = withoutRefusedOptions(own, findProvider('mistral-ai') as Provider);
    expect([String(content), value]).toEqual(['{"stream":true}', { stream: true }]);
    expect(withoutRefusedOptions(own, openai)).toBe(own);
  });
});

describe('a stream that shows nothing', () => {
  test('gets its head after a while, and then whatever comes', () => {
    jest.useFakeTimers();
    try {
      const seen: unknown[] = [];
      const outer: UpstreamSink = {
        opening: () => void seen.push('opening'),
        head: (status) => Boolean(seen.push(status)),
        data: (chunk) => Boolean(seen.push(String(chunk))),
        end: () => void seen.push('end'),
        fail: (failure) => void seen.push(failure),
      };
      let sink = outer;
      const send = gated((_request, inner) => {
        sink = inner;
        return { resume() {}, abort: () => void seen.push('aborted') };
      }, chat);
      send({ origin: null, path: '', method: 'POST', headers: {}, body: null }, outer);
      sink.head(200, { 'content-type': 'text/event-stream' });
      jest.advanceTimersByTime(HOLD_LIMIT_MS - 1);
      expect(seen).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(seen).toEqual([200]);
      sink.data(Buffer.from(': ping\n\n'));
      sink.fail('transport', new Error('x'));
      expect(seen).toEqual([200, ': ping\n\n', 'transport']);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});

/** A target with this key, and a secret setting. */
const asked = (key: string | null) => ({
  provider: findProvider('bedrock') as Provider,
  credential: { key, settings: { aws_session_token: 'token-of-mine-456' } },
  customHeaders: { 'x-tenant': 'header-of-mine-789' },
});

describe('errors of providers in one form', () => {
  const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  test.each([
    [
      'that have it already',
      { error: { message: 'm', type: 't', param: 'p', code: 'c', extra: 1 } },
      { error: { message: 'm', type: 't', param: 'p', code: 'c', extra: 1 } },
    ],
    [
      'of Anthropic',
      { type: 'error', error: { type: 'overloaded_error', message: 'm' }, request_id: 'r' },
      {
        type: 'error',
        error: { type: 'overloaded_error', message: 'm', param: null, code: null },
        request_id: 'r',
      },
    ],
    [
      'of Google',
      [{ error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED' } }],
      {
        error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED', type: 'api_error', param: null },
      },
    ],
    [
      'around the words',
      { object: 'error', message: 'm', type: 't', code: 3 },
      { error: { message: 'm', type: 't', param: null, code: 3 } },
    ],
    [
      'that are words',
      { error: 'm' },
      { error: { message: 'm', type: 'api_error', param: null, code: null } },
    ],
    ['of FastAPI', { detail: [{ msg: 'x' }] }, { error: { message: '[{"msg":"x"}]' } }],
    ['without words', {}, { error: { message: 'someone answered 500.' } }],
    [
      'in text',
      'upstream connect error',
      {
        error: {
          message: 'someone answered 500: upstream connect error',
          type: 'api_error',
          param: null,
          code: null,
        },
      },
    ],
    [
      'in HTML',
      '<html><h1>502 Bad\nGateway</h1></html>',
      { error: { message: 'someone answered 500: 502 Bad Gateway' } },
    ],
    ['without a body', '', { error: { message: 'someone answered 500 without a message.' } }],
  ])('%s', (_name, said, told) => {
    expect(errorBody('someone', 500, parsedError(bytes(said)))).toMatchObject({
      ...told,
      provider: 'someone',
    });
  });

  test('long ones are cut, secrets left out, and no text takes long to read', () => {
    const text = `key sk-${'a1B2'.repeat(10)} ${'<'.repeat(200_000)}`;
    const { message } = JSON.parse(errorText(asked(null), 500, parsedError(bytes(text)))).error;
    expect(message).toContain('[redacted]');
    expect(message.length).toBeLessThan(1100);
  });

  test('one that is too deep to be written again is told as text', () => {
    const deep = `{"error":${'['.repeat(15_000)}${']'.repeat(15_000)}}`;
    const { error } = JSON.parse(errorText(asked(null), 400, parsedError(bytes(deep))));
    expect(error.message).toMatch(/^bedrock answered 400: \{"error":\[/);
  });

  test('the credentials that were sent are left out, words are not', () => {
    const said = {
      error: { message: 'no key-of-mine-123, token-of-mine-456, header-of-mine-789', type: 'type' },
    };
    const told = (key: string) => JSON.parse(errorText(asked(key), 401, said));
    expect(told('key-of-mine-123').error.message).toBe('no [redacted], [redacted], [redacted]');
    for (const word of ['type', 'error', 'x'])
      expect(told(word)).toMatchObject({ error: { type: 'type' }, provider: 'bedrock' });
  });
});
