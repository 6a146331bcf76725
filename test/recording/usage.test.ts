import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { inputClasses, outputClasses } from '../../src/formats/usage/classes.ts';
import { Capture } from '../../src/recording/log/answers/capture.ts';
import { isTokenUnit } from '../../src/recording/pricing/index.ts';
import { answerText, findUsage, type Usage } from '../../src/recording/usage/index.ts';
import { type Recorded, recorded } from './usage-reports.ts';

const textOf = ({ body, frames }: Recorded): string => frames?.join('') ?? JSON.stringify(body);

const typeOf = ({ frames }: Recorded): string => {
  if (!frames) return 'application/json';
  return frames[0]?.startsWith('\u0000') ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
};

/** What the log finds in an answer that passed in these pieces. */
async function usageOf(pieces: Buffer[], contentType: string): Promise<Usage | null> {
  const capture = new Capture(0);
  capture.begin({ 'content-type': contentType });
  for (const piece of pieces) capture.add(piece);
  const answer = await answerText(capture.taken());
  return answer && findUsage(answer);
}

/** Cuts bytes at places given as parts of their length. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

const total = (classes: Record<string, number>) =>
  Object.entries(classes).reduce((sum, [unit, count]) => (isTokenUnit(unit) ? sum + count : sum), 0);

describe('usage is read from', () => {
  test.each(recorded.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    const [promptTokens, completionTokens, totalTokens] = each.counts;
    const usage = await usageOf([Buffer.from(textOf(each))], typeOf(each));
    expect(usage?.counts).toEqual({
      promptTokens,
      completionTokens,
      totalTokens,
      usageSource: 'provider',
      tokenClasses: each.classes,
    });
  });

  it('however an answer is cut into pieces, and however long it is', async () => {
    // Longer than what is kept of a beginning, with an end behind it that holds the report.
    const padding = fc.constantFrom(0, 20_000, 90_000);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...recorded),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
        padding,
        async (each, places, size) => {
          const filler = 'é'.repeat(size / 2);
          const text = each.frames
            ? [each.frames[0], `: ${filler}\n\n`, ...each.frames.slice(1)].join('')
            : JSON.stringify({ filler, ...(each.body as object) });
          const usage = await usageOf(cut(Buffer.from(text), places), typeOf(each));
          expect(usage?.counts.tokenClasses).toEqual(each.classes);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('nothing is billed by a stream that broke off', () => {
  const stream = recorded.find(({ name }) => name === 'a stream of a message') as Recorded;
  const broken = (frames: number) =>
    usageOf([Buffer.from((stream.frames ?? []).slice(0, frames).join(''))], 'text/event-stream');

  it('before the provider said what was made', async () => {
    expect((await broken(3))?.counts).toMatchObject({
      promptTokens: 100_298,
      completionTokens: null,
      totalTokens: null,
      tokenClasses: null,
    });
    expect((await broken(4))?.counts).toMatchObject({ completionTokens: 503 });
  });
});

describe('what changes the price of a call is found', () => {
  test.each([
    ['OpenAI, at the top', { usage: { prompt_tokens: 1 }, service_tier: 'flex' }, ['flex']],
    ['OpenAI, as usual', { usage: { prompt_tokens: 1 }, service_tier: 'default' }, []],
    [
      'Anthropic',
      { usage: { input_tokens: 1, service_tier: 'batch', inference_geo: 'us' } },
      ['us', 'batch'],
    ],
    ['Anthropic, fast', { usage: { input_tokens: 1, service_tier: 'standard', speed: 'fast' } }, ['fast']],
    ['Gemini', { usageMetadata: { promptTokenCount: 1, trafficType: 'ON_DEMAND_PRIORITY' } }, ['priority']],
    ['Gemini, as usual', { usageMetadata: { promptTokenCount: 1, trafficType: 'ON_DEMAND' } }, []],
    ['Gemini, flexible', { usageMetadata: { promptTokenCount: 1, serviceTier: 'FLEX' } }, ['flex']],
    ['Bedrock', { usage: { inputTokens: 1 }, serviceTier: { type: 'flex' } }, ['flex']],
  ])('%s', async (_name, body, terms) => {
    const usage = await usageOf([Buffer.from(JSON.stringify(body))], 'application/json');
    expect(usage?.terms).toEqual(terms);
  });
});

const count = fc.nat(1_000_000);
const maybe = fc.option(count);

describe('classes of tokens', () => {
  it('are disjoint: they are positive and sum to the total, whatever the provider says of the parts', () => {
    fc.assert(
      fc.property(
        fc.record({
          total: count,
          cached: maybe,
          cachedAudio: maybe,
          cachedImage: maybe,
          written: maybe,
          writtenHour: maybe,
          audio: maybe,
          image: maybe,
          video: maybe,
          reasoning: maybe,
          acceptedPrediction: maybe,
          rejectedPrediction: maybe,
        }),
        (counts) => {
          for (const classes of [inputClasses(counts), outputClasses(counts)]) {
            expect(Object.values(classes).every((each) => each > 0)).toBe(true);
            expect(Object.keys(classes).every(isTokenUnit)).toBe(true);
            expect(total(classes)).toBe(counts.total);
          }
        },
      ),
    );
  });

  it('of every recorded answer sum to what the provider counts or bills', () => {
    for (const { counts, classes, name } of recorded) {
      if (/Cohere|alone/.test(name)) continue;
      expect([name, total(classes)]).toEqual([name, (counts[0] ?? 0) + (counts[1] ?? 0)]);
    }
  });
});
