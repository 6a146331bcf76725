import type { z } from 'zod';

/** `input`: what goes to the provider; `output`: what it answers. */
export type Phase = 'input' | 'output';

/** What a text of a body is. `encoded` was decoded from a run within another text. */
export type SegmentKind =
  | 'text'
  | 'system'
  | 'tool_result'
  | 'tool_arguments'
  | 'reasoning'
  | 'title'
  | 'url'
  | 'image'
  | 'encoded';

/** One text of a body, and where it stands there. */
export type Segment = {
  /** Keys and indexes from the root of the body to the string. */
  readonly path: readonly (string | number)[];
  /** Who says it, as the body names roles; null where it names none. */
  readonly role: string | null;
  readonly kind: SegmentKind;
  readonly text: string;
};

/**
 * Puts `replacement` in the place of the characters from `start` up to `end` (UTF-16 units) of a segment's text. A
 * placeholder is numbered by the engine, `{{EMAIL_ADDRESS_1}}` for `EMAIL_ADDRESS`: equal texts get the same number
 * throughout a call.
 */
export type TextEdit = {
  readonly segment: Segment;
  start: number;
  end: number;
  replacement: string | { readonly placeholder: string };
};

/** What checks may know of a call. */
export type CheckedCall = {
  readonly requestType: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Of the caller, names in lower case. They hold credentials: a check sends on only those it is told to. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly isStream: boolean;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** 32 hexadecimal characters. */
  readonly traceId: string;
  /** The caller's JSON body as edits so far have left it; null where the call has none. */
  readonly request: Readonly<Record<string, unknown>> | null;
  /** The answer's status and JSON body; null before there is an answer. */
  readonly response: { readonly status: number; readonly body: unknown } | null;
  /** Whether checks before this one have changed the caller's body, or the answer's. */
  readonly isTransformed: { readonly request: boolean; readonly response: boolean };
  /** The texts of the request's last turn, joined by line breaks, as they are when the answer is checked. */
  readonly requestText: () => string;
};

/** What a check looks at. */
export type CheckInput = {
  readonly phase: Phase;
  readonly call: CheckedCall;
  /** Texts in scope of the guardrail, in the order of the body. */
  readonly segments: readonly Segment[];
  /** Their texts, joined by line breaks. */
  readonly text: string;
  /** Aborted when the verdict is not needed any more, or the check's time is over. */
  readonly signal: AbortSignal;
};

/** What a check has found. */
export type CheckFinding = {
  /** True: the check passes. */
  verdict: boolean;
  /** Details for `hook_results`, without secrets; excerpts of texts have at most 100 characters. */
  data?: Readonly<Record<string, unknown>> | null;
  /** What to replace. Edits of one finding do not overlap. */
  edits?: readonly TextEdit[];
  /** A whole new body of the phase that is checked, in the place of edits. */
  body?: Readonly<Record<string, unknown>>;
  /** Headers that the request to the provider gets besides, unless it has them already; names in lower case. */
  headers?: Readonly<Record<string, string>>;
};

/** An exchange with a service that a check asks. */
export type CheckRequest = {
  url: string;
  method: 'GET' | 'POST' | 'HEAD';
  headers?: Readonly<Record<string, string>>;
  /** Text as it is sent; absent for none. */
  body?: string;
  /** Bytes of the longest answer that is wanted; 4 MB where it is absent. A longer one is an error. */
  maxAnswerBytes?: number;
  /** Whether the answer's body is wanted in base64, for answers that are no text. */
  isBinary?: boolean;
  /** Milliseconds for the whole exchange. */
  timeoutMs: number;
  signal: AbortSignal;
};

/** The network and the gateway's own models, as checks may use them. */
export type CheckServices = {
  /**
   * Sends a request to an address that the host policy allows, checked when it connects; redirects are answers like any
   * other. Rejects with an Error whose message may be shown to the caller.
   */
  send(
    request: CheckRequest,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;
  /** Whether a name resolves to an address that the host policy allows. */
  resolves(hostname: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Sends a JSON body to an endpoint of the data plane below `/v1` as a call of its own, in the name of the checked call:
   * it has its own log, comes under the workspace's limits and under no guardrails.
   */
  callModel(
    call: CheckedCall,
    request: {
      path: string;
      body: Readonly<Record<string, unknown>>;
      timeoutMs: number;
      signal: AbortSignal;
    },
  ): Promise<{ status: number; body: unknown }>;
};

/** A check with its parameters read: patterns are compiled by now. A rejection or exception is an error of the check. */
export type RunCheck = (input: CheckInput, services: CheckServices) => CheckFinding | Promise<CheckFinding>;

/** A kind of check, as a file of `checks/` states it. */
export type CheckDefinition<Parameters> = {
  /** As configs name it, e.g. `default.wordCount`. */
  readonly id: string;
  /** Other ids under which guardrails may name it. */
  readonly aliases?: readonly string[];
  /** One sentence for people: when does it pass? */
  readonly description: string;
  readonly phases: readonly Phase[];
  /** Reads parameters as they are written, with defaults and limits; the form, the reference and the refusals come from it. */
  readonly parameters: z.ZodType<Parameters>;
  /** Asks somebody over the network, or a model. */
  readonly isRemote?: boolean;
  /**
   * Milliseconds after which a run that asks somebody, or reads long texts, counts as an error, with these parameters. Absent:
   * 5 seconds.
   */
  readonly timeoutMs?: (parameters: Parameters) => number;
  /** Looks at no text, but at the call alone: its model, kind, metadata, headers or parameters. */
  readonly readsCallOnly?: boolean;
  /**
   * Looks at texts and at the call, and takes next to no time however long the texts are. Other checks that ask nobody look at
   * texts alone, and read long ones on another thread.
   */
  readonly isQuick?: boolean;
  /** What it changes is all that it does: it has no verdict of its own. Checks that ask nobody and may edit are so anyway. */
  readonly isTransformer?: boolean;
  /** Whether it may change what it checks, with these parameters. Absent: never. */
  readonly edits?: (parameters: Parameters) => boolean;
  /**
   * The longest text, in characters, over which one match may reach; null, as when absent: only the whole text can be
   * judged, as where a match hangs on the beginning or the end of a text. Within a stream, texts of this length are held
   * back, and the check is given a text piece by piece: it must find in a piece, which begins and ends with a word, what it
   * would find there in the whole.
   */
  readonly reach?: (parameters: Parameters) => number | null;
  /**
   * A place up to `at` where the text of a stream can be cut, so that its front goes out before a match could have its full
   * length: what the check finds in front of it is found there in any text that begins so, and what it finds behind it is found
   * without the front. Matches without a space need not be heeded: a word that has not ended is held back anyway. Absent:
   * nowhere within its reach.
   */
  readonly cut?: (parameters: Parameters) => (text: string, at: number) => number;
  /**
   * What it looks for shows within a few sentences: it may be given the answer of a stream in pieces of some 200 tokens, each
   * with the end of the one before, and must judge them as it would judge the whole. It changes nothing where it is used so.
   */
  readonly judgesPieces?: boolean;
  /**
   * Whether it looks for what must not be there, with these parameters: then it also looks at texts as they read without
   * disguise, decoded and put together. Absent: where it has a reach, or may edit.
   */
  readonly detects?: (parameters: Parameters) => boolean;
  /**
   * Compiles what a run needs. Throws an Error with a message for whoever saves the guardrail, where parameters cannot be
   * used, or cannot be used together.
   */
  readonly prepare: (parameters: Parameters) => RunCheck;
};

/** A check with its parameters, ready to run. */
export type PreparedCheck = {
  readonly check: GuardrailCheck;
  /** As they were written: another thread prepares the same check with them. */
  readonly parameters: unknown;
  readonly run: RunCheck;
  readonly mayEdit: boolean;
  /** As in its definition. */
  readonly reach: number | null;
  /** As in its definition. */
  readonly cut: ((text: string, at: number) => number) | null;
  readonly judgesPieces: boolean;
  readonly detects: boolean;
  readonly timeoutMs: number;
};

/** What is wrong with the parameters of a check. `path`: keys and indexes below the parameters. */
export type ParameterProblem = { path: readonly PropertyKey[]; message: string };

/** A kind of check, whatever its parameters are. */
export type GuardrailCheck = Pick<CheckDefinition<unknown>, 'id' | 'description' | 'phases'> & {
  readonly aliases: readonly string[];
  readonly isRemote: boolean;
  readonly readsCallOnly: boolean;
  readonly isQuick: boolean;
  readonly isTransformer: boolean;
  /** What its parameters are, for forms and the reference. */
  readonly parameters: z.ZodType;
  /** Reads parameters as they are written. */
  prepare(parameters: unknown): PreparedCheck | { problems: readonly ParameterProblem[] };
};

/** Milliseconds: how long a check may take, where its parameters do not say. */
const USUAL_TIMEOUT = 5000;

/** Hides the type of the parameters, so that all checks can stand in one table. */
export function defineCheck<Parameters>(definition: CheckDefinition<Parameters>): GuardrailCheck {
  const {
    id,
    aliases = [],
    description,
    phases,
    parameters,
    isRemote = false,
    readsCallOnly = false,
    isQuick = false,
    isTransformer = false,
  } = definition;
  const check: GuardrailCheck = {
    id,
    aliases,
    description,
    phases,
    isRemote,
    readsCallOnly,
    isQuick,
    isTransformer,
    parameters,
    prepare(written) {
      const parsed = parameters.safeParse(withoutCommon(written ?? {}, parameters));
      if (!parsed.success)
        return { problems: parsed.error.issues.map(({ path, message }) => ({ path, message })) };
      const { data } = parsed;
      try {
        const run = definition.prepare(data);
        const mayEdit = definition.edits?.(data) ?? false;
        const reach = definition.reach?.(data) ?? null;
        const cut = reach === null ? null : (definition.cut?.(data) ?? null);
        const detects = definition.detects?.(data) ?? (mayEdit || reach !== null);
        const judgesPieces = definition.judgesPieces === true && !mayEdit;
        const timeoutMs = definition.timeoutMs?.(data) ?? USUAL_TIMEOUT;
        const reads = { mayEdit, reach, cut, judgesPieces, detects };
        return { check, parameters: written, run, ...reads, timeoutMs };
      } catch (error) {
        return { problems: [{ path: [], message: (error as Error).message }] };
      }
    },
  };
  return check;
}

/** Every check takes `failOnError`, which says what becomes of its errors; only some make it a parameter of their own. */
function withoutCommon(written: unknown, parameters: z.ZodType): unknown {
  if (typeof written !== 'object' || written === null || !('failOnError' in written)) return written;
  if ('shape' in parameters && Object.hasOwn(parameters.shape as object, 'failOnError')) return written;
  const { failOnError: _common, ...own } = written;
  return own;
}
