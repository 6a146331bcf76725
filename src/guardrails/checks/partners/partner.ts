import { z } from 'zod';
import type { CheckInput, Phase, Segment } from '../../check.ts';
import { failable } from '../common.ts';
import { timeoutParameter } from '../remote/common.ts';

/** A text that a partner is asked about. */
export type PartnerQuestion<Parameters> = {
  readonly text: string;
  /** Where the text stands; null where it is put together of several. */
  readonly segment: Segment | null;
  readonly input: CheckInput;
  readonly parameters: Parameters;
};

/** A request by POST with a JSON body, or with a text that is sent as it is. */
export type PartnerRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** What a partner makes of a text. */
export type PartnerVerdict = {
  readonly passes: boolean;
  /** Kinds of what was found, without the text itself. */
  readonly reasons: readonly string[];
  /** Where it was found; the whole text with replacements in it, instead; absent where the partner does not say. */
  readonly spans?: readonly { start: number; end: number; category: string }[];
  readonly redacted?: string;
};

/** A service of another vendor: how it is asked, and how its answers are read. */
export type Partner<Shape extends z.ZodRawShape> = {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly phases: readonly Phase[];
  /** Its own parameters; those with credentials are marked as secrets. */
  readonly shape: Shape;
  /** Names of parameters of which one at least is needed; one that is false counts as absent. */
  readonly oneOf?: readonly (keyof Shape & string)[];
  /** Milliseconds for an answer, where the parameters do not say. */
  readonly usualTimeout?: number;
  /** Whether it says where it found something, so that this can be replaced. */
  readonly canRedact?: true;
  /** As in the definition of checks: harm, and not what a whole answer is like. */
  readonly judgesPieces?: true;
  /** The most characters of one request; longer texts are asked about piece by piece. */
  readonly maxText?: number;
  /** Null where there is nothing to ask. */
  readonly request: (question: PartnerQuestion<z.infer<z.ZodObject<Shape>>>) => PartnerRequest | null;
  /** Further headers that depend on the whole request. Fetches tokens through `send` alone. */
  readonly authorize?: (
    request: PartnerRequest,
    parameters: z.infer<z.ZodObject<Shape>>,
    send: PartnerSend,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Throws an Error where the answer is none. */
  readonly verdict: (
    answer: unknown,
    question: PartnerQuestion<z.infer<z.ZodObject<Shape>>>,
  ) => PartnerVerdict;
};

/** An exchange within the time and the signal of the check. */
export type PartnerSend = (request: {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}) => Promise<{ status: number; body: string }>;

/** The parameters that all partners have in common. */
export const commonShape = (usualTimeout: number) => ({
  timeout: timeoutParameter(usualTimeout),
  ...failable,
});

export const redactShape = {
  redact: z
    .boolean()
    .default(false)
    .describe('Whether finds are replaced where the service says what they are, and the check passes then.'),
};

/** The roles and texts of a conversation, as services take them. */
export const messagesOf = ({ segments, phase }: CheckInput): { role: string; content: string }[] =>
  segments.map(({ role, text }) => ({
    role: role ?? (phase === 'input' ? 'user' : 'assistant'),
    content: text,
  }));
