import type { ErrorName } from './catalogue.ts';
import { GatewayError } from './gateway-error.ts';

/**
 * Turns any thrown value into a GatewayError; an unknown one becomes INTERNAL with the original as its private cause.
 */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('INTERNAL', { cause: error });
}

/** Seconds in `retry-after` of a 429 whose cause names no time. */
const RETRY_AFTER = 1;

/** The headers that an error brings to its answer, at every front door: a 429 always says when to come again. */
export function errorHeaders({ retryAfter, entry, headers }: GatewayError): Record<string, string> {
  const seconds = retryAfter ?? (entry.status === 429 ? RETRY_AFTER : null);
  return seconds === null ? { ...headers } : { ...headers, 'retry-after': String(seconds) };
}

/** Body of an administration error: `{error: {message, type, param, code}}`. */
export function administrationBody(error: GatewayError): { error: Record<string, unknown> } {
  return {
    error: {
      message: error.message,
      type: error.entry.type,
      param: error.param,
      code: error.entry.adminCode,
      ...(error.errors && { errors: error.errors }),
    },
  };
}

/**
 * Body of an error that the gateway raises on the data plane: `{status: "failure", message}` and beside it the `error`
 * object that OpenAI SDKs read. An error of the kind `INLINE_…` names the refused field inside `error`; an error of
 * status 401 or 408 has the `error` object alone.
 */
export function inferenceBody(error: GatewayError): Record<string, unknown> {
  const { type, code } = error.entry;
  if (error.code.startsWith('INLINE_')) {
    const { message, param: field } = error;
    return { status: 'failure', error: { code, message, field }, message };
  }
  const openAi = { error: { message: error.message, type, param: error.param, code: error.reason ?? code } };
  if (error.entry.status === 401 || error.entry.status === 408) return openAi;
  return {
    status: 'failure',
    message: error.message,
    ...(error.errors && { errors: error.errors }),
    ...openAi,
    ...error.beside,
  };
}

/**
 * Body of an error as OpenAI's API answers it, `{error: {message, type, param, code}}` and nothing beside: the classes of
 * its SDKs follow the status.
 */
export function openAiBody(error: GatewayError): { error: OpenAiError } {
  const { status, code } = error.entry;
  const type =
    status === 429
      ? 'rate_limit_exceeded'
      : status >= 500
        ? 'server_error'
        : status === 403
          ? 'permission_error'
          : 'invalid_request_error';
  const own = status === 404 ? null : code;
  return { error: { message: error.message, type, param: error.param, code: error.reason ?? own } };
}

/** Body of an error of the published prices, whose clients read a text. */
export const textBody = ({ message }: GatewayError): { error: string } => ({ error: message });

export type OpenAiError = { message: string; type: string; param: string | null; code: string | null };

const oauthCodes = new Set<ErrorName>([
  'INVALID_CLIENT',
  'UNSUPPORTED_GRANT_TYPE',
  'INVALID_SCOPE',
  'UNAUTHORIZED_CLIENT',
]);

/** Body of an error of the token endpoint: `{error, error_description}` (RFC 6749, section 5.2). */
export function oauthBody(error: GatewayError): { error: string; error_description: string } {
  // The standard allows only printable ASCII in a description, and no quotation marks or backslashes.
  const description = error.message.replace(/[^\x20-\x7e]|["\\]/g, ' ');
  return { error: oauthCode(error), error_description: description };
}

function oauthCode({ code, entry }: GatewayError): string {
  if (oauthCodes.has(code) && entry.code !== null) return entry.code;
  if ([429, 503, 507].includes(entry.status)) return 'temporarily_unavailable';
  return entry.status < 500 ? 'invalid_request' : 'server_error';
}
