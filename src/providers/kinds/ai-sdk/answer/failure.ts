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
import { GatewayError } from '../../../../errors/index.ts';
import { providerErrorBody } from '../../../../formats/chat-completions/errors.ts';
import { statusOfType } from '../../../../formats/stream/error-status.ts';
import { isObject } from '../../../../lib/json.ts';
import { MIN_SECRET, maskedText } from '../../../../lib/masked-text.ts';
import { isSecretName, redactText } from '../../../../lib/redaction.ts';
import { jsonAnswer } from '../../../answer.ts';
import type { DialectAnswer, DialectRequest } from '../../../provider.ts';
import { type Fields, isText, RequestProblem } from '../fields.ts';
import { Reported, UnreadableAnswer } from './errors.ts';
import { passedOn } from './headers.ts';
import { reportOf } from './provider-report.ts';

const MAX_MESSAGE = 2000;
const BAD_GATEWAY = 502;

/** What went wrong, as the caller is told: an error in OpenAI's form, with the provider's name and the provider's own type. */
export type Failure = {
  status: number;
  headers: Record<string, string>;
  body: { error: Fields; provider: string };
};

export const failureAnswer = ({ status, headers, body }: Failure): DialectAnswer =>
  jsonAnswer({ status, headers, value: body });

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
    body: providerErrorBody(provider, clean(message, request), typeOf(status), more),
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
  const isPlain = error instanceof Error && error.constructor === Error && error.cause === undefined;
  // The library's own checks of what it is asked are plain errors; what it stumbles over says nothing to the caller.
  if (!wasSent)
    return say(400, `The provider ${provider} cannot be asked this${isPlain ? `: ${error.message}` : '.'}`);
  if (isPlain) return say(BAD_GATEWAY, `${provider} error: ${error.message}`);
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
  const { statusCode, responseHeaders = {}, responseBody } = error;
  if (statusCode === undefined) throw error;
  if (statusCode < 400) {
    // A connection that breaks in the middle of a body, and not what is in it.
    if (error.cause instanceof UnreadableAnswer)
      return say(BAD_GATEWAY, `${provider} error: ${error.cause.message}.`);
    if (error.cause !== undefined && !isUnreadable(error.cause)) throw error.cause;
    return say(
      BAD_GATEWAY,
      `${provider} error: the answer could not be read.`,
      {},
      passedOn(responseHeaders),
    );
  }
  const report = reportOf(responseBody);
  // The first event of a stream has no status: the one here is the library's guess.
  const isEvent = responseHeaders['content-type']?.startsWith('text/event-stream') ?? false;
  const status = (isEvent ? statusOfType(report.type) : undefined) ?? statusCode;
  return say(
    status,
    `${provider} error: ${report.message ?? error.message}`,
    {
      type: report.type ?? responseHeaders['x-amzn-errortype']?.split(':')[0] ?? typeOf(status),
      code: report.code,
    },
    {
      ...(report.wait !== null && { 'retry-after': report.wait }),
      ...passedOn(responseHeaders),
    },
  );
}

type StreamReport = { message: string; type?: string; code?: string | number; statusCode?: number };

/** An error within a stream: an object of the library's, and no Error. */
const isReport = (error: unknown): error is StreamReport =>
  isObject(error) && !(error instanceof Error) && isText(error.message);

function ofReport({ message, type, code, statusCode }: StreamReport, provider: string, say: Say): Failure {
  // The library's own status of a type is a guess too.
  const status = statusOfType(type) ?? statusCode ?? BAD_GATEWAY;
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
  const secret = Object.entries(credential.settings).flatMap(([name, value]) =>
    isSecretName(name) ? [value] : [],
  );
  const secrets = [credential.key ?? '', ...secret].filter(({ length }) => length >= MIN_SECRET);
  return redactText(maskedText(message, secrets)).slice(0, MAX_MESSAGE);
}
