import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { GatewayError } from '../../errors/index.ts';
import { REDACTED, redactText } from '../../lib/redaction.ts';
import type { DialectAnswer, DialectRequest } from '../provider.ts';
import { type Fields, isFields, isText, RequestProblem } from './fields.ts';
import { jsonAnswer, passedOn } from './json-answer.ts';

const MAX_MESSAGE = 2000;
const BAD_GATEWAY = 502;

/** The provider answered, and it makes no sense. */
export class UnreadableAnswer extends Error {}

/** The provider's stream stopped before it said that it was at its end. */
export class CutOff extends UnreadableAnswer {
  constructor() {
    super('the stream ended before its end');
  }
}

/** What a provider says within a stream instead of going on. */
export class Reported extends Error {
  readonly report: unknown;
  constructor(report: unknown) {
    super('The provider reports an error in its stream.');
    this.report = report;
  }
}

/** What went wrong, as the caller is told: OpenAI's error with the provider's name and its own type (section 11, shape C). */
export type Failure = {
  status: number;
  headers: Record<string, string>;
  body: { error: Fields; provider: string };
};

export const failureAnswer = ({ status, headers, body }: Failure): DialectAnswer =>
  jsonAnswer(status, body, headers);

/** Throws the error again where it means that there is no answer: a broken connection, a hang-up, a mistake of the gateway. */
export function failureOf(
  error: unknown,
  provider: string,
  request: DialectRequest,
  wasSent: boolean,
): Failure {
  if (request.signal.aborted) throw error;
  if (error instanceof Reported) return failureOf(error.report, provider, request, wasSent);
  const say = (status: number, message: string, more: Fields = {}, headers: Record<string, string> = {}) => ({
    status,
    headers,
    body: {
      error: { message: clean(message, request), type: typeOf(status), param: null, code: null, ...more },
      provider,
    },
  });
  if (error instanceof GatewayError) {
    const { status, type, code } = error.entry;
    return say(status, error.message, { type, code, param: error.param });
  }
  if (error instanceof RequestProblem) return say(400, error.message, { param: error.param });
  if (isRefusal(error)) return say(400, `The provider ${provider} cannot be asked this: ${error.message}`);
  if (APICallError.isInstance(error)) return ofCall(error, provider, say);
  if (isReport(error)) return ofReport(error, provider, say);
  if (error instanceof UnreadableAnswer || isUnreadable(error))
    return say(BAD_GATEWAY, `${provider} error: ${(error as Error).message}`);
  // The library's own checks of what it is asked are plain errors.
  if (!wasSent && error instanceof Error)
    return say(400, `The provider ${provider} cannot be asked this: ${error.message}`);
  if (error instanceof Error && error.constructor === Error && error.cause === undefined)
    return say(BAD_GATEWAY, `${provider} error: ${error.message}`);
  throw error;
}

type Say = (status: number, message: string, more?: Fields, headers?: Record<string, string>) => Failure;

const isRefusal = (error: unknown): error is Error =>
  UnsupportedFunctionalityError.isInstance(error) ||
  InvalidPromptError.isInstance(error) ||
  InvalidArgumentError.isInstance(error) ||
  NoSuchModelError.isInstance(error);

const isUnreadable = (error: unknown): error is Error =>
  EmptyResponseBodyError.isInstance(error) ||
  InvalidResponseDataError.isInstance(error) ||
  JSONParseError.isInstance(error) ||
  NoContentGeneratedError.isInstance(error) ||
  TypeValidationError.isInstance(error);

/** An answer over HTTP that says no, or one that cannot be read. */
function ofCall(error: APICallError, provider: string, say: Say): Failure {
  const { statusCode: status, responseHeaders = {}, responseBody } = error;
  if (status === undefined) throw error;
  if (status < 400) {
    // A connection that breaks in the middle of a body, and not what is in it.
    if (error.cause !== undefined && !isUnreadable(error.cause)) throw error.cause;
    return say(
      BAD_GATEWAY,
      `${provider} error: the answer could not be read.`,
      {},
      passedOn(responseHeaders),
    );
  }
  const report = reportOf(responseBody);
  const wait = retryDelay(report.details);
  return say(
    status,
    `${provider} error: ${report.message ?? error.message}`,
    {
      type: report.type ?? responseHeaders['x-amzn-errortype']?.split(':')[0] ?? typeOf(status),
      code: report.code,
    },
    {
      ...(wait !== null && { 'retry-after': wait }),
      ...passedOn(responseHeaders),
    },
  );
}

type Report = { message?: string; type?: string; code: string | null; details?: unknown };

/** `{error: {type|status, message, code}}` as most providers write it, or `{message}` alone. */
function reportOf(body: string | undefined): Report {
  const parsed = parse(body);
  const whole = isFields(parsed) ? parsed : {};
  const inner = isFields(whole.error) ? whole.error : whole;
  const type = [inner.type, inner.status].find(isText);
  const message = [inner.message, whole.message, whole.error].find(isText) ?? plainText(body, parsed);
  return {
    message,
    type,
    code: isText(inner.code) ? inner.code : null,
    details: inner.details,
  };
}

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

const plainText = (body: string | undefined, parsed: unknown): string | undefined =>
  parsed === undefined && body !== undefined && body !== '' && !body.trimStart().startsWith('<')
    ? body
    : undefined;

/** Google says in the body how many seconds to wait. */
function retryDelay(details: unknown): string | null {
  for (const detail of Array.isArray(details) ? details : []) {
    const match =
      isFields(detail) && isText(detail.retryDelay) ? /^([\d.]{1,12})s$/.exec(detail.retryDelay) : null;
    if (match) return String(Math.ceil(Number(match[1])));
  }
  return null;
}

type StreamReport = { message: string; type?: string; code?: string | number; statusCode?: number };

/** An error within a stream: an object of the library's, and no Error. */
const isReport = (error: unknown): error is StreamReport =>
  isFields(error) && !(error instanceof Error) && isText(error.message);

const statusByType: Record<string, number> = { overloaded_error: 529, rate_limit_error: 429, api_error: 500 };

function ofReport({ message, type, code, statusCode }: StreamReport, provider: string, say: Say): Failure {
  const status = statusCode ?? statusByType[type ?? ''] ?? BAD_GATEWAY;
  return say(status, `${provider} error: ${message}`, {
    type: type ?? typeOf(status),
    code: code === undefined ? null : String(code),
  });
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status === 401) return 'authentication_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

/** Providers quote what they were sent: no credential goes back in a message. */
function clean(message: string, { credential }: DialectRequest): string {
  const secrets = [credential.key, ...Object.values(credential.settings)].filter(
    (secret): secret is string => secret !== null && secret.length >= 12,
  );
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), message);
  return redactText(safe).slice(0, MAX_MESSAGE);
}
