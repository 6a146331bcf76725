import { z } from 'zod';
import { textLines } from '../lib/json-text/text-lines.ts';
import { type BatchEndpoint, type BatchProblem, MOST_LINES } from './batch.ts';

/** Bytes of one line. */
const MAX_LINE = 16 * 1024 * 1024;
/** Problems that are told of one input. */
const MOST_PROBLEMS = 100;

export type BatchRequest = { customId: string; body: Record<string, unknown> };

/** An input that cannot be taken as lines. */
class UnreadableLine extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

async function* linesOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ number: number; text: string }> {
  for await (const line of textLines(content, MAX_LINE)) {
    if ('problem' in line) throw new UnreadableLine(line.number, line.problem);
    yield line;
  }
}

const lineSchema = (endpoint: BatchEndpoint) =>
  z.object({
    custom_id: z.string().min(1).max(512),
    method: z.literal('POST'),
    url: z.literal(endpoint),
    body: z
      .record(z.string(), z.unknown())
      .refine(({ stream }) => stream === undefined || stream === null || stream === false, {
        path: ['stream'],
        message: 'must be absent: a batch has no streams',
      }),
  });

/** What a line asks for; the same is checked before the first line is begun. */
export function requestOf(endpoint: BatchEndpoint, text: string): BatchRequest {
  const { custom_id: customId, body } = lineSchema(endpoint).parse(JSON.parse(text));
  return { customId, body };
}

/** The requests of an input that was checked, each with its place from 0. */
export async function* requestsIn(
  endpoint: BatchEndpoint,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<BatchRequest & { index: number }> {
  let index = 0;
  for await (const { text } of linesOf(content)) yield { ...requestOf(endpoint, text), index: index++ };
}

/** Counts the lines of an input and finds what is wrong with them. */
export async function checkInput(
  endpoint: BatchEndpoint,
  content: AsyncIterable<Uint8Array>,
): Promise<{ total: number; problems: BatchProblem[] }> {
  const schema = lineSchema(endpoint);
  const problems: BatchProblem[] = [];
  const ids = new Set<string>();
  let total = 0;
  try {
    for await (const { number, text } of linesOf(content)) {
      total++;
      if (total > MOST_LINES) return { total, problems: [tooMany] };
      const problem = problemOf(schema, text, ids);
      if (problem && problems.length < MOST_PROBLEMS) problems.push({ ...problem, line: number });
    }
  } catch (error) {
    if (!(error instanceof UnreadableLine)) throw error;
    problems.push({
      code: 'invalid_line',
      message: `This line ${error.message}`,
      param: null,
      line: error.line,
    });
  }
  if (total === 0 && problems.length === 0) problems.push(empty);
  return { total, problems };
}

const tooMany: BatchProblem = {
  code: 'too_many_tasks',
  message: `The input has more than ${MOST_LINES} lines.`,
  ...{ param: null, line: null },
};
const empty: BatchProblem = {
  code: 'empty_file',
  message: 'The input has no lines.',
  ...{ param: null, line: null },
};

type LineProblem = Omit<BatchProblem, 'line'>;

function problemOf(
  schema: z.ZodType<{ custom_id: string }>,
  text: string,
  ids: Set<string>,
): LineProblem | null {
  const value = jsonIn(text);
  if (value === undefined)
    return { code: 'invalid_json_line', message: 'This line is not parseable as valid JSON.', param: null };
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join('.') || null;
    return { code: 'invalid_request', message: `${param ?? 'The line'}: ${issue?.message}.`, param };
  }
  const { custom_id: id } = parsed.data;
  if (ids.has(id))
    return {
      code: 'duplicate_custom_id',
      message: 'The custom_id of this line is also that of an earlier one.',
      param: 'custom_id',
    };
  ids.add(id);
  return null;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
