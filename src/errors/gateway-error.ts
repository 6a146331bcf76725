import { catalogue, type ErrorEntry, type ErrorName } from './catalogue.ts';
import { publicText } from './public-text.ts';

export type ErrorDetails = {
  /** Public text; the catalogue's message when absent. */
  message?: string;
  /** The request field at fault, as the caller spelled it or as the schema names it, e.g. `input.name`. */
  param?: string;
  /** More exact than the `code` of the catalogue, for answers that OpenAI's SDKs read, e.g. `invalid_type`. */
  reason?: string;
  /** One line per mistake when several were found. */
  errors?: string[];
  /** Seconds after which the caller may try again: the header `retry-after`. */
  retryAfter?: number;
  /** Further headers of the answer. */
  headers?: Readonly<Record<string, string>>;
  /** What stands beside `error` in the body of an inference answer. */
  beside?: Readonly<Record<string, unknown>>;
  /** Private: goes to the log, never to the caller. */
  cause?: unknown;
};

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The one error class. Everything else that is thrown is a defect and answers INTERNAL. */
export class GatewayError extends Error {
  readonly code: ErrorName;
  readonly entry: ErrorEntry;
  readonly param: string | null;
  readonly reason: string | null;
  readonly errors: string[] | null;
  readonly retryAfter: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly beside: Readonly<Record<string, unknown>> | null;

  constructor(code: ErrorName, details: ErrorDetails = {}) {
    super(publicText(details.message ?? catalogue[code].message), { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.entry = catalogue[code];
    this.param = details.param === undefined ? null : publicText(details.param);
    this.reason = details.reason ?? null;
    this.errors = details.errors?.map(publicText) ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.headers = details.headers ?? NO_HEADERS;
    this.beside = details.beside ?? null;
  }
}

/** The error of a request with an input that is not taken: `param` is the member's path, `problem` a whole sentence. */
export const invalidInput = (param: string, problem: string): GatewayError =>
  new GatewayError('VALIDATION_FAILED', { message: problem, param });
