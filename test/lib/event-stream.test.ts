import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createEventReader, formatEvent, type ServerSentEvent } from '../../src/lib/event-stream/index.ts';

function read(pieces: Uint8Array[], limit?: number): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const reader = createEventReader((event) => events.push(event), limit);
  for (const piece of pieces) reader.feed(piece);
  return events;
}

const event = (data: string, name: string | null = null, id: string | null = null) => ({ name, data, id });

/** The bytes cut after each of the places that `cuts` names. */
function cut(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}

const streams: [string, string, ServerSentEvent[]][] = [
  ['an event', 'data: a\n\n', [event('a')]],
  [
    'no space after the colon, of which one belongs to the line',
    'data:a\n\ndata:  b\n\n',
    [event('a'), event(' b')],
  ],
  [
    'CRLF and CR as ends of lines',
    'data: a\r\n\r\ndata: b\r\rdata: c\n\r\n',
    [event('a'), event('b'), event('c')],
  ],
  ['comments and pings', ': ping\n\n:\n\ndata: a\n: more\n\n', [event('a')]],
  [
    'names, ids and retry',
    'retry: 10\nevent: x\nid: 7\ndata: a\n\ndata: b\n\n',
    [event('a', 'x', '7'), event('b')],
  ],
  ['data of several lines', 'data: a\ndata\ndata: b\n\n', [event('a\n\nb')]],
  ['lines that nobody knows', 'nonsense\nDATA: no\nfoo: bar\ndata: a\n\n', [event('a')]],
  ['an event without data', 'event: x\n\ndata: a\n\n', [event('a')]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [event('a')]],
  ['characters of several bytes', 'data: ü€😀\n\n', [event('ü€😀')]],
  ['an end without a blank line', 'data: a\n\ndata: b\n', [event('a')]],
];

describe('an event stream', () => {
  test.each(streams)('with %s is read alike wherever it is cut', (_name, text, expected) => {
    const bytes = Buffer.from(text);
    expect(read([bytes])).toEqual(expected);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    for (let place = 0; place <= bytes.length; place++) expect(read(cut(bytes, [place]))).toEqual(expected);
  });

  test('is read as it was written, whatever is in it and wherever it is cut', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ''));
    const written = fc.array(
      fc.tuple(fc.option(fc.stringMatching(/^[a-z_.]{1,9}$/)), fc.array(line, { minLength: 1 })),
    );
    fc.assert(
      fc.property(written, fc.array(fc.nat()), (events, cuts) => {
        const text = events.map(([name, lines]) => formatEvent(name, lines.join('\n'))).join('');
        const expected = events.map(([name, lines]) => event(lines.join('\n').toWellFormed(), name));
        expect(read(cut(Buffer.from(text), cuts))).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['in one line', `data: ${'a'.repeat(5000)}\n\n`],
    ['in many lines', `${'data: aaaaaaaaa\n'.repeat(500)}\n`],
    ['in a line that does not end', `data: ${'a'.repeat(5000)}`],
  ])('with an event that is too large, %s, fails and says so', (_how, text) => {
    const bytes = Buffer.from(text);
    const message = 'An event of the stream is larger than 1000 characters.';
    expect(() => read([bytes], 1000)).toThrow(message);
    expect(() => read(cut(bytes, [1, 700, 2000]), 1000)).toThrow(message);
  });

  test('of any length is read as long as each event is within the limit', () => {
    const text = `: ${'comment '.repeat(1000)}\n${`data: ${'a'.repeat(1000)}\n\n`.repeat(50)}`;
    expect(read([Buffer.from(text)], 1000)).toHaveLength(50);
    expect(read(cut(Buffer.from(text), [3, 999, 8005, 9000]), 1000)).toHaveLength(50);
  });
});
