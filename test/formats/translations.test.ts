import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { translatedSend } from '../../src/dataplane/leg/layers/translate.ts';
import type { UpstreamHeaders } from '../../src/dataplane/send/upstream.ts';
import { messagesOverChat } from '../../src/formats/messages/over-chat/index.ts';
import type { CallerTranslation } from '../../src/formats/over-chat/translation.ts';
import { responsesOverChat } from '../../src/formats/responses/over-chat/index.ts';
import { createEventReader } from '../../src/lib/event-stream/index.ts';
import { cachedUsage, chatChunks, chatWith } from '../dataplane/formats/chat-streams.ts';

/** Properties of the translation between callers' formats and chat. */

type Fields = Record<string, any>;
type Said = { kind: string; content: string; name?: string };

const formats: [string, CallerTranslation][] = [
  ['messages', messagesOverChat],
  ['responses', responsesOverChat],
];

const text = fc.string({ minLength: 1, maxLength: 12 });
const name = fc.stringMatching(/^[a-z_]{1,8}$/);
const json = fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });

/** An assistant's turn as chat tells it. */
const turn = fc.record({
  thinking: fc.option(text, { nil: '' }),
  said: fc.option(text, { nil: '' }),
  calls: fc.array(fc.record({ name, input: json }), { maxLength: 3 }),
});

type Turn = { thinking: string; said: string; calls: { name: string; input: object }[] };

const expected = ({ thinking, said, calls }: Turn): Said[] => [
  ...(thinking === '' ? [] : [{ kind: 'thinking', content: thinking }]),
  ...(said === '' ? [] : [{ kind: 'text', content: said }]),
  ...calls.map((call) => ({ kind: 'tool', name: call.name, content: JSON.stringify(call.input) })),
];

const whole = ({ thinking, said, calls }: Turn): Fields =>
  chatWith({
    content: said,
    reasoning_content: thinking,
    tool_calls: calls.map((call, index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    })),
  });

/** A string in pieces of the given lengths, again and again. */
function pieces(of: string, lengths: number[]): string[] {
  const found: string[] = [];
  for (let at = 0, turn = 0; at < of.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    found.push(of.slice(at, at + length));
    at += length;
  }
  return found;
}

/** Chat's chunks of a turn; with `mixed` the tool calls are told by turns. */
function deltas({ thinking, said, calls }: Turn, lengths: number[], mixed: boolean): object[] {
  const call = (index: number, piece: string, at: number) => ({
    tool_calls: [
      {
        index,
        ...(at === 0 && { id: `call_${index}`, type: 'function' }),
        function: { ...(at === 0 && { name: calls[index]?.name }), arguments: piece },
      },
    ],
  });
  const told = calls.map(({ input }, index) =>
    ['', ...pieces(JSON.stringify(input), lengths)].map((piece, at) => ({
      at,
      delta: call(index, piece, at),
    })),
  );
  const ordered = mixed ? told.flat().sort((a, b) => a.at - b.at) : told.flat();
  return [
    { role: 'assistant', content: '' },
    ...pieces(thinking, lengths).map((reasoning_content) => ({ reasoning_content })),
    ...pieces(said, lengths).map((content) => ({ content })),
    ...ordered.map(({ delta }) => delta),
  ];
}

function eventsOf(stream: string): { name: string | null; data: Fields }[] {
  const events: { name: string | null; data: Fields }[] = [];
  createEventReader(({ name: event, data }) => events.push({ name: event, data: JSON.parse(data) })).feed(
    Buffer.from(stream),
  );
  return events;
}

/** What the events of a message stream say, having checked that each block starts, grows and stops, one after the other. */
function readMessageEvents(stream: string): Said[] {
  const said: Said[] = [];
  let open = false;
  const events = eventsOf(stream);
  expect([events[0]?.name, events.at(-2)?.name, events.at(-1)?.name]).toEqual([
    'message_start',
    'message_delta',
    'message_stop',
  ]);
  for (const { name: event, data } of events.slice(1, -2)) {
    expect(data.type).toBe(event);
    expect(open).toBe(event !== 'content_block_start');
    if (event === 'content_block_start') {
      open = true;
      said.push(blockSaid(data.content_block));
      expect(data.index).toBe(said.length - 1);
    } else if (event === 'content_block_delta') {
      const { type: _type, ...delta } = data.delta;
      (said[data.index] as Said).content += Object.values(delta).join('');
    } else open = false;
    expect(data.index).toBe(said.length - 1);
  }
  expect(open).toBe(false);
  return said;
}

const kinds: Record<string, string> = {
  tool_use: 'tool',
  function_call: 'tool',
  reasoning: 'thinking',
  message: 'text',
};

function blockSaid(block: Fields): Said {
  const { type } = block;
  const kind = kinds[type] ?? type;
  if (kind !== 'tool') return { kind, content: block.text ?? block.thinking };
  return {
    kind,
    name: block.name,
    content: Object.keys(block.input).length > 0 ? JSON.stringify(block.input) : '',
  };
}

/** The same for a response stream: each item is added, grows and is done, and the last event repeats all of them. */
function readResponseEvents(stream: string): Said[] {
  const events = eventsOf(stream);
  const grown: string[] = [];
  const done: Fields[] = [];
  expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_event, index) => index));
  for (const { name: event, data } of events.slice(2, -1)) {
    expect(data.type).toBe(event);
    if (event === 'response.output_item.added') grown.push('');
    expect(data.output_index).toBe(grown.length - 1);
    if (event?.endsWith('.delta')) grown[data.output_index] += data.delta;
    if (event === 'response.output_item.done') done.push(data.item);
  }
  const last = events.at(-1);
  expect(last?.name).toBe('response.completed');
  expect(last?.data.response.output).toEqual(done);
  const said = done.map(itemSaid);
  expect(said.map(({ content }) => content)).toEqual(grown);
  return said;
}

function itemSaid(item: Fields): Said {
  const kind = kinds[item.type] ?? '';
  return kind === 'tool'
    ? { kind, name: item.name, content: item.arguments }
    : { kind, content: item.content.map((part: Fields) => part.text).join('') };
}

const readers: Record<string, (stream: string) => Said[]> = {
  messages: readMessageEvents,
  responses: readResponseEvents,
};

describe.each(formats)('%s', (format, translation) => {
  const read = readers[format] as (stream: string) => Said[];

  test('a stream says what chat said, however it was cut and whatever order its tool calls came in', () => {
    fc.assert(
      fc.property(
        turn,
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }),
        fc.boolean(),
        (given, lengths, mixed) => {
          const stream = translation.stream({});
          const chunks = chatChunks(deltas(given, lengths, mixed), 'stop', cachedUsage) as Fields[];
          const events = chunks.map((chunk) => stream.chunk(chunk)).join('') + stream.end();
          expect(read(events)).toEqual(expected(given));
          expect([stream.chunk(chunks[0] ?? {}), stream.end(), stream.fail('late')]).toEqual(['', '', '']);
        },
      ),
    );
  });

  test('a whole answer says the same', () => {
    fc.assert(
      fc.property(turn, (given) => {
        const answer = translation.answer(whole(given), {});
        const said =
          format === 'messages'
            ? (answer.content as Fields[]).map((block) => ({
                ...blockSaid(block),
                ...(block.input && { content: JSON.stringify(block.input) }),
              }))
            : (answer.output as Fields[]).map(itemSaid);
        expect(said).toEqual(expected(given));
      }),
    );
  });

  test('a stream that fails says so last, after any number of chunks', () => {
    fc.assert(
      fc.property(turn, fc.nat({ max: 20 }), (given, count) => {
        const stream = translation.stream({});
        const chunks = chatChunks(deltas(given, [3], false)).slice(0, count) as Fields[];
        const events = eventsOf(
          chunks.map((chunk) => stream.chunk(chunk)).join('') + stream.fail('It broke.'),
        );
        expect(events.at(-1)?.name).toBe(format === 'messages' ? 'error' : 'response.failed');
        expect(JSON.stringify(events.at(-1)?.data)).toContain('It broke.');
        expect([stream.failure, stream.end()]).toEqual(['It broke.', '']);
      }),
    );
  });

  test('a recorded stream gives the same events wherever its bytes are cut', () => {
    const chunks = chatChunks(
      deltas({ thinking: 'hm', said: 'Grüezi 😀', calls: [{ name: 'a', input: { b: 'ü' } }] }, [4], false),
      'tool_calls',
      cachedUsage,
    );
    const recorded = Buffer.from(
      `\uFEFF: ping\r\n\r\n${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(': ping\n\n')}data: [DONE]\n\n`,
    );
    const uncut = replay(translation, [recorded]);
    expect(read(uncut).map(({ content }) => content)).toEqual(['hm', 'Grüezi 😀', '{"b":"ü"}']);
    for (let at = 0; at <= recorded.length; at++) {
      expect(replay(translation, [recorded.subarray(0, at), recorded.subarray(at)])).toBe(uncut);
    }
  });
});

type Answer = { status: number; headers: UpstreamHeaders; size: number; text: string };

/** What the caller gets when a provider sends `parts`; ids that are made up are evened out. */
function answered(
  translation: CallerTranslation,
  headers: UpstreamHeaders,
  parts: Iterable<Buffer>,
  request: Fields,
): Answer {
  const answer: Answer = { status: 0, headers: {}, size: 0, text: '' };
  const send = translatedSend(
    (_request, sink) => {
      sink.head(200, headers);
      for (const part of parts) sink.data(part);
      sink.end();
      return { resume() {}, abort() {} };
    },
    { callerSide: translation, providerSide: null },
    request,
  );
  const out: Buffer[] = [];
  send(
    { origin: null, path: '', method: 'POST', headers: {}, body: null },
    {
      head(status, given) {
        answer.status = status;
        answer.headers = given;
        return true;
      },
      data: (chunk) => out.push(chunk) > 0,
      end() {},
      fail(_failure, cause) {
        throw cause;
      },
    },
  );
  const bytes = Buffer.concat(out);
  answer.size = bytes.length;
  answer.text = bytes
    .toString('utf8')
    .replace(/_[0-9a-f]{32}/g, '_id')
    .replace(/"completed_at":\d+/g, '"completed_at":0');
  return answer;
}

const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'content-length': '99',
  'x-up': '1',
};

const replay = (translation: CallerTranslation, parts: Buffer[]): string =>
  answered(translation, eventHeaders, parts, { stream: true }).text;

describe.each(formats)('an answer through %s', (_format, translation) => {
  test('has the headers of its own body and the others of the provider', () => {
    const streamed = answered(translation, eventHeaders, [Buffer.from('data: [DONE]\n\n')], { stream: true });
    expect(streamed.headers).toEqual({ 'content-type': 'text/event-stream', 'x-up': '1' });
    const chat = Buffer.from(JSON.stringify(chatWith({ content: 'Hi' })));
    const plain = answered(
      translation,
      { 'content-type': 'text/plain', 'content-length': '1', 'x-up': '1' },
      [chat],
      {},
    );
    expect(plain.headers).toEqual({
      'content-type': 'application/json',
      'content-length': String(plain.size),
      'x-up': '1',
    });
  });

  const megabyte = Buffer.alloc(1024 * 1024, 0x20);
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  test.each<[string, UpstreamHeaders, () => Buffer[]]>([
    ['is larger than 64 MB', {}, () => Array.from({ length: 65 }, () => megabyte)],
    ['is compressed', { 'content-encoding': 'gzip' }, () => [Buffer.from('\x1f\x8b')]],
    ['is no JSON', {}, () => [Buffer.from('<html>')]],
  ])('that %s is a 502 in the caller’s format', (_what, headers, parts) => {
    const { status, text: body } = answered(translation, headers, parts(), {});
    expect([status, JSON.parse(body).error.message]).toEqual([502, expect.stringMatching(/^The provider/)]);
  });

  test('with arguments that nobody can write again ends in an answer all the same', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'a', arguments: nested } };
    const chat = Buffer.from(JSON.stringify(chatWith({ tool_calls: [call] })));
    expect([200, 502]).toContain(answered(translation, {}, [chat], {}).status);
  });

  test('pauses the provider while the caller reads more slowly', () => {
    const taken: boolean[] = [];
    const send = translatedSend(
      (_request, sink) => {
        sink.head(200, eventHeaders);
        const [first] = chatChunks([{ content: 'Hi' }]);
        taken.push(
          sink.data(Buffer.from(`data: ${JSON.stringify(first)}\n\n`)),
          sink.data(Buffer.from(': ping\n\n')),
        );
        return { resume() {}, abort() {} };
      },
      { callerSide: translation, providerSide: null },
      { stream: true },
    );
    const sink = { head: () => true, data: () => false, end() {}, fail() {} };
    send({ origin: null, path: '', method: 'POST', headers: {}, body: null }, sink);
    expect(taken).toEqual([false, true]);
  });
});

describe('a request', () => {
  const image = fc.base64String({ maxLength: 8 });

  test('to messages keeps every text, image, tool call and result, in order', () => {
    const blocks = fc.array(
      fc.oneof(
        text.map((said) => ({ type: 'text', text: said })),
        image.map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
      ),
      { minLength: 1, maxLength: 4 },
    );
    const exchange = fc.record({
      asked: blocks,
      said: text,
      calls: fc.array(fc.record({ name, input: json, result: text }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 3 }), (exchanges) => {
        const chat = messagesOverChat.request({
          model: 'm',
          max_tokens: 1,
          messages: exchanges.flatMap(({ asked, said, calls }) => [
            { role: 'user', content: asked },
            {
              role: 'assistant',
              content: [
                { type: 'text', text: said },
                ...calls.map((call, index) => ({
                  type: 'tool_use',
                  id: `id-${index}`,
                  name: call.name,
                  input: call.input,
                })),
              ],
            },
            {
              role: 'user',
              content: calls.map(({ result }, index) => ({
                type: 'tool_result',
                tool_use_id: `id-${index}`,
                content: result,
              })),
            },
          ]),
        });
        expect((chat.messages as Fields[]).flatMap(spoken)).toEqual(
          exchanges.flatMap(({ asked, said, calls }) => [
            ...asked.map((block) =>
              'text' in block ? block.text : `data:image/png;base64,${block.source.data}`,
            ),
            said,
            ...calls.map((call, index) => [`id-${index}`, call.name, JSON.stringify(call.input)]),
            ...calls.map((call, index) => [`id-${index}`, call.result]),
          ]),
        );
      }),
    );
  });
});

/** What a chat message says, without its form. */
function spoken({ role, content, tool_call_id, tool_calls }: Fields): unknown[] {
  if (role === 'tool') return [[tool_call_id, content]];
  const parts =
    typeof content === 'string' ? [content] : content.map((part: Fields) => part.text ?? part.image_url.url);
  return [
    ...parts,
    ...(tool_calls ?? []).map(({ id, function: made }: Fields) => [id, made.name, made.arguments]),
  ];
}
