import { z } from 'zod';

/** Feedback that a guardrail leaves on the trace of the call that it judged. */
const feedback = z.strictObject({
  value: z.int().min(-10).max(10).describe('The score, from -10 to 10.'),
  weight: z.number().min(0).max(1).default(1).describe('How much the score counts, from 0 to 1.'),
  metadata: z
    .union([z.string().max(2048), z.record(z.string().max(128), z.string().max(512))])
    .optional()
    .describe('What is kept with the feedback.'),
});

const consequence = z.strictObject({ feedback: feedback.optional() });

/** One check of a guardrail, as it is written. */
export const guardrailCheck = z.strictObject({
  id: z.string().min(1).max(100).describe('The kind of check, such as `default.wordCount`.'),
  parameters: z
    .record(z.string(), z.json())
    .default({})
    .describe('What the check takes, by its id; `failOnError` besides, with every check.'),
  name: z.string().min(1).max(255).optional().describe('A name for people.'),
  is_enabled: z.boolean().default(true).describe('False leaves the check out.'),
});

/** What a guardrail does beyond judging, as it is written. */
export const guardrailActions = z.strictObject({
  deny: z.boolean().default(false).describe('A call that fails is refused with 446.'),
  async: z.boolean().default(false).describe('The call does not wait for the verdict, which is only logged.'),
  sequential: z
    .boolean()
    .default(false)
    .describe('The checks run one after another, each on what those before it left.'),
  soft_deny_200: z
    .boolean()
    .default(false)
    .describe('A refusal is sent as a normal answer that carries the message, with status 200.'),
  on_success: consequence.optional().describe('What follows when all checks passed.'),
  on_fail: consequence.optional().describe('What follows when a check failed.'),
  scope: z
    .enum(['last', 'new', 'all'])
    .optional()
    .describe(
      'Which texts of a request are checked: of the last message, of all since the last answer, or all.',
    ),
  stream: z
    .enum(['window', 'hold', 'report'])
    .optional()
    .describe(
      'How an answer is checked while it is streamed: piece by piece, held as a whole, or after it was sent.',
    ),
  on_unreadable: z
    .enum(['deny', 'allow'])
    .optional()
    .describe('What becomes of a body whose texts cannot be read.'),
});

/** The most checks of one guardrail. */
export const MAX_CHECKS = 50;

/** The checks and actions of a guardrail in the spelling of REST and of configs. */
export const guardrailDefinition = z.strictObject({
  checks: z.array(guardrailCheck).min(1).max(MAX_CHECKS),
  actions: guardrailActions.prefault({}),
});

export type CheckEntry = z.infer<typeof guardrailCheck>;
export type GuardrailActions = z.infer<typeof guardrailActions>;
export type GuardrailDefinition = z.infer<typeof guardrailDefinition>;
export type GuardrailFeedback = z.infer<typeof feedback>;
export type GuardrailScope = NonNullable<GuardrailActions['scope']>;
export type GuardrailStreaming = NonNullable<GuardrailActions['stream']>;

/** A guardrail as it is stored. */
export type StoredGuardrail = GuardrailDefinition & {
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
  readonly name: string;
};

/** What is wrong with a guardrail. `path`: as written, from its root, such as `checks[0].parameters.rule`. */
export type GuardrailProblem = { readonly path: string; readonly message: string };

/** Reads checks and actions as they are written; what they say is judged by `problemsOf` and `prepareGuardrail`. */
export function parseGuardrail(
  value: unknown,
): { definition: GuardrailDefinition } | { problems: readonly GuardrailProblem[] } {
  const parsed = guardrailDefinition.safeParse(value);
  if (parsed.success) return { definition: parsed.data };
  return { problems: parsed.error.issues.flatMap(problemsOfIssue) };
}

/** What one use of a stored guardrail does otherwise than its actions say. */
export type GuardrailChanges = Partial<GuardrailActions>;

/** Reads actions of which some are written; the others are absent, whatever their defaults are. */
export function parseGuardrailChanges(
  value: unknown,
): { changes: GuardrailChanges } | { problems: readonly GuardrailProblem[] } {
  const parsed = guardrailActions.safeParse(value);
  if (!parsed.success) return { problems: parsed.error.issues.flatMap(problemsOfIssue) };
  const written = Object.keys(value as object);
  const changes = Object.entries(parsed.data).filter(([name]) => written.includes(name));
  return { changes: Object.fromEntries(changes) };
}

function problemsOfIssue(issue: z.core.$ZodIssue): GuardrailProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({
    path: pathOf([...issue.path, key]),
    message: 'this member is not supported',
  }));
}

/** `checks[0].parameters.rule` for `['checks', 0, 'parameters', 'rule']`. */
export const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`))
    .join('');
