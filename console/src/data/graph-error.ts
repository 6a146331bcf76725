/** A refusal as the graph tells it; its code is `OFFLINE` where no answer came, and `UNREADABLE` where it was none of ours. */
export class GraphError extends Error {
  /** Such as `FORBIDDEN`. */
  readonly code: string;
  /** The member of the input that is wrong; null where it is none in particular. */
  readonly param: string | null;
  /** One line for each mistake, where several were found. */
  readonly errors: readonly string[];
  /** By which the service's own log knows the request; null where no answer came. */
  readonly requestId: string | null;

  constructor(message: string, extensions: ErrorExtensions = {}, requestId: string | null = null) {
    super(message);
    this.name = 'GraphError';
    this.code = extensions.code ?? 'UNREADABLE';
    this.param = extensions.param ?? null;
    this.errors = extensions.errors ?? [];
    this.requestId = requestId;
  }
}

/** The members of the input on the way to what is wrong, as the graph names them: `input.usage_limits.type` ends at `type`. */
export const pathOf = (param: string | null): string[] =>
  (param ?? '')
    .replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .split(/[.[\]]+/)
    .filter((name) => name !== '' && name !== 'input');

/** Shares a refusal out to the fields of a form: `at` is what stands at one, `rest` what is about none of them. */
export function fieldErrors<Name extends string>(error: GraphError | null, names: readonly Name[]) {
  const path = pathOf(error?.param ?? null);
  const wrong = names.find((name) => path.includes(name));
  return {
    at: (name: Name): string | null => (wrong === name ? (error?.message ?? null) : null),
    rest: wrong === undefined ? (error?.message ?? null) : null,
  };
}

type ErrorExtensions = { code?: string; param?: string; errors?: readonly string[] };

/** One error of an answer, as GraphQL writes it. */
export type AnswerError = {
  message: string;
  path?: readonly (string | number)[];
  extensions?: ErrorExtensions;
};

/**
 * The error that empties an answer. Null where only something within it is missing, such as the name of a key that the viewer may
 * not see: its place in the answer is null.
 */
export function fatalError(
  errors: readonly AnswerError[] = [],
  requestId: string | null = null,
): GraphError | null {
  const fatal = errors.find(({ path }) => path === undefined || path.length <= 1);
  return fatal ? new GraphError(fatal.message, fatal.extensions, requestId) : null;
}
