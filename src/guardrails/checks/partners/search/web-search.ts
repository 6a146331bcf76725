import { z } from 'zod';
import { type CheckInput, defineCheck, type GuardrailCheck, type Segment } from '../../../check.ts';
import { failable } from '../../common.ts';
import { jsonAnswer, timeoutParameter } from '../../remote/common.ts';
import type { PartnerRequest } from '../partner.ts';
import { apiKey } from '../shapes.ts';

/** A page that was found. */
export type FoundPage = { title: string; url: string; text: string };

/** A search engine: how it is asked, and how its answers are read. */
type SearchEngine<Shape extends z.ZodRawShape> = {
  readonly id: string;
  readonly description: string;
  /** Its own parameters, beside `apiKey`. */
  readonly shape: Shape;
  /** The most characters of a question. */
  readonly maxQuestion: number;
  readonly request: (
    question: string,
    parameters: z.infer<z.ZodObject<Shape>> & { apiKey: string },
  ) => PartnerRequest;
  /** Throws an Error where the answer is none. */
  readonly pages: (answer: unknown) => readonly FoundPage[];
};

const TIMEOUT = 30_000;
/** Characters of one page, and of all of them, that a request gets at most. */
const MAX_PAGE = 4_000;
const MAX_CONTEXT = 20_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

const framing = {
  prefix: z
    .string()
    .max(1_000)
    .default('\n<web_search_context>')
    .describe('What stands in front of the pages.'),
  suffix: z.string().max(1_000).default('\n</web_search_context>').describe('What stands behind the pages.'),
};

export const domains = (meaning: string) =>
  z.array(z.string().min(1).max(300)).max(100).optional().describe(meaning);

/** A check that looks up the question of a request on the web, and puts what it finds behind the question. */
export function defineWebSearch<Shape extends z.ZodRawShape>(engine: SearchEngine<Shape>): GuardrailCheck {
  type Read = z.infer<z.ZodObject<Shape>> & {
    apiKey: string;
    timeout: number;
    prefix: string;
    suffix: string;
  };
  const parameters = z.strictObject({
    apiKey,
    ...engine.shape,
    ...framing,
    timeout: timeoutParameter(TIMEOUT),
    ...failable,
  });
  return defineCheck({
    id: engine.id,
    description: engine.description,
    phases: ['input'],
    isRemote: true,
    isTransformer: true,
    parameters: parameters as unknown as z.ZodType<Read>,
    timeoutMs: ({ timeout }) => timeout,
    edits: () => true,
    // It looks for nothing: texts in disguise are none of its business.
    detects: () => false,
    prepare: (read) => async (input, services) => {
      const asking = questionIn(input);
      if (asking === null) return { verdict: true, data: { pages: 0 } };
      const request = engine.request(asking.text.slice(0, engine.maxQuestion).toWellFormed(), read);
      const answer = await services.send({
        url: request.url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...request.headers },
        body: JSON.stringify(request.body),
        maxAnswerBytes: MAX_ANSWER_BYTES,
        timeoutMs: read.timeout,
        signal: input.signal,
      });
      const pages = engine.pages(jsonAnswer('The service', answer));
      const data = { pages: pages.length };
      if (pages.length === 0) return { verdict: true, data };
      const end = asking.text.length;
      return {
        verdict: true,
        data,
        edits: [{ segment: asking, start: end, end, replacement: contextOf(pages, read) }],
      };
    },
  });
}

/** What the user asks last. */
const questionIn = ({ segments }: CheckInput): Segment | null =>
  segments.findLast(
    ({ kind, role, text }) => kind === 'text' && (role ?? 'user') === 'user' && text.trim() !== '',
  ) ?? null;

/** A page that writes the end of the frame does not get out of it. */
function contextOf(
  pages: readonly FoundPage[],
  { prefix, suffix }: { prefix: string; suffix: string },
): string {
  const told = pages
    .map(({ title, url, text }) => `\n${title} (${url})\n${text.slice(0, MAX_PAGE)}`)
    .join('\n');
  return (
    prefix + withoutFrame(told.slice(0, MAX_CONTEXT), [prefix.trim(), suffix.trim()]).toWellFormed() + suffix
  );
}

/** Repeats itself, since what is taken out of a text may join what is left to a new frame. Capitals of ASCII count as small. */
function withoutFrame(text: string, frames: readonly string[]): string {
  const marks = frames.filter((frame) => frame !== '').map(small);
  let before: string;
  let after = text;
  do {
    before = after;
    for (const mark of marks) after = without(after, mark);
  } while (after !== before);
  return after;
}

function without(text: string, mark: string): string {
  const searched = small(text);
  let left = '';
  let from = 0;
  for (let at = searched.indexOf(mark); at >= 0; at = searched.indexOf(mark, from)) {
    left += text.slice(from, at);
    from = at + mark.length;
  }
  return left + text.slice(from);
}

/** Of the same length as the text. */
const small = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
