import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CitationFilter } from '../../../src/runs/turn/citations.ts';

const citations = ['【0:0†a.txt】', '【0:1†b 😀.txt】', 'sandbox:/mnt/data/x', 'sandbox:/mnt/data/x.csv'].map(
  (marker) => ({ marker, annotation: { type: 'file_citation' } }),
);

/** What comes out of a text that is taken in pieces: the text, and where its annotations are. */
function read(pieces: readonly string[]) {
  const filter = new CitationFilter(citations);
  const all = [...pieces.flatMap((piece) => filter.take(piece)), ...filter.end()];
  return {
    text: all.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''),
    annotations: all.flatMap((piece) => (piece.kind === 'annotation' ? [piece.annotation] : [])),
  };
}

it('a marker becomes an annotation that brackets it, counted in code points', () => {
  const { text, annotations } = read(['😀 see 【0:0', '†a.txt】, and sandbox:/mnt/data/x.', 'csv.']);
  expect(text).toBe('😀 see 【0:0†a.txt】, and sandbox:/mnt/data/x.csv.');
  expect(annotations).toEqual([
    { type: 'file_citation', text: '【0:0†a.txt】', start_index: 6, end_index: 17 },
    { type: 'file_citation', text: 'sandbox:/mnt/data/x.csv', start_index: 23, end_index: 46 },
  ]);
});

it('what names nothing stays text', () => {
  expect(read(['【0:9†a.txt】 sandbox:/mnt/data/xy', ' 【'])).toEqual({
    text: '【0:9†a.txt】 sandbox:/mnt/data/xy 【',
    annotations: [],
  });
});

it('the cuts of a stream make no difference', () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...citations.map(({ marker }) => marker),
      '【',
      '】',
      'sandbox:/mnt/',
      '😀',
      'y',
      ' ',
      '.',
    ),
    fc.string({ maxLength: 3, unit: 'binary' }),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.array(fc.nat({ max: 200 }), { maxLength: 10 }),
      (text, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const cut = read(places.slice(1).map((end, at) => text.slice(places[at], end)));
        expect(cut).toEqual(read([text]));
        expect(cut.text).toBe(text);
        for (const { text: marker, start_index: start, end_index: end } of cut.annotations)
          expect([...text].slice(start as number, end as number).join('')).toBe(marker);
      },
    ),
    { numRuns: 500 },
  );
});
