import {
  administrationBody,
  catalogue,
  type ErrorName,
  GatewayError,
  openAiBody,
  textBody,
} from '../../src/errors/index.ts';
import type { RestErrors } from '../compile/rest-directive.ts';
import type { Response, Schema } from './document.ts';
import { answerReferences } from './headers.ts';

/** What an administration operation may answer beside its result, by the name of the response. */
const answers = {
  BadRequest: ['VALIDATION_FAILED', 'UNKNOWN_PARAMETER'],
  BadRequestBody: ['VALIDATION_FAILED', 'UNKNOWN_PARAMETER', 'MALFORMED_BODY'],
  Unauthenticated: ['UNAUTHENTICATED'],
  InvalidAuthorisation: ['INVALID_AUTHORISATION'],
  LegacyUnauthenticated: ['UNAUTHENTICATED', 'INVALID_AUTHORISATION'],
  TooManyFailures: ['TOO_MANY_FAILURES'],
  Forbidden: ['FORBIDDEN'],
  ForbiddenGuardrail: ['FORBIDDEN', 'GUARDRAIL_NOT_FOUND'],
  NotFound: ['NOT_FOUND'],
  Conflict: ['ALREADY_EXISTS', 'IN_USE', 'IN_PROGRESS'],
  PreconditionFailed: ['PRECONDITION_FAILED'],
  BodyTooLarge: ['BODY_TOO_LARGE'],
  UnsupportedMediaType: ['UNSUPPORTED_MEDIA_TYPE'],
  KeyReused: ['IDEMPOTENCY_KEY_REUSED'],
  Internal: ['INTERNAL'],
  Unavailable: ['STORE_UNAVAILABLE'],
  StoreFull: ['STORE_FULL'],
} as const satisfies Record<string, readonly ErrorName[]>;

export type AnswerName = keyof typeof answers | 'NotModified';

const statusOf = (name: AnswerName): string =>
  name === 'NotModified' ? '304' : String(catalogue[answers[name][0]].status);

/** References to the answers without a result of an operation, by status. */
export const errorAnswers = (
  names: AnswerName[],
  form: RestErrors = 'ADMINISTRATION',
): Record<string, { $ref: string }> =>
  Object.fromEntries(
    names.map((name) => [
      statusOf(name),
      {
        $ref: `#/components/responses/${name === 'NotModified' ? name : forms[form].prefix + name}`,
      },
    ]),
  );

type ErrorSchema = 'Error' | 'LegacyError' | 'OpenAiError' | 'TextError';

/** By the form of errors: what the names of responses begin with, and the schema of their bodies. */
const forms: Record<RestErrors, { prefix: string; schema: ErrorSchema }> = {
  ADMINISTRATION: { prefix: '', schema: 'Error' },
  INFERENCE: { prefix: 'OpenAi', schema: 'OpenAiError' },
  TEXT: { prefix: 'Text', schema: 'TextError' },
};

/** The error envelope of every administration answer. */
export const errorSchema = (): Schema => ({
  type: 'object',
  description: 'Every error answer.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string', description: 'A sentence for people; its wording may change.' },
        type: { type: 'string', enum: unique(Object.values(catalogue).map(({ type }) => type)) },
        param: {
          type: 'string',
          nullable: true,
          description: 'The parameter or body member at fault, as the request spells it.',
        },
        code: { type: 'string', enum: unique(Object.values(catalogue).map(({ adminCode }) => adminCode)) },
        errors: {
          type: 'array',
          items: { type: 'string' },
          description: 'One line for each mistake, when there are several.',
        },
      },
    },
  },
});

/** The error envelope of the oldest paths, for a missing or wrong credential. */
export const legacyErrorSchema = (): Schema => {
  const { properties, required = [] } = errorSchema();
  return {
    type: 'object',
    description: 'A missing or wrong credential, at the oldest paths.',
    required: ['success', 'data', ...required],
    properties: {
      success: { type: 'boolean', description: 'Always false.' },
      data: {
        type: 'object',
        required: ['message'],
        properties: { message: { type: 'string', description: 'That of the error.' } },
      },
      ...properties,
    },
  };
};

/** The error envelope of paths that OpenAI's SDKs call. */
export const openAiErrorSchema = (): Schema => ({
  type: 'object',
  description: 'Every error answer of the paths that clients of OpenAI call.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string', description: 'A sentence for people; its wording may change.' },
        type: {
          type: 'string',
          enum: unique(
            Object.keys(catalogue).map((name) => openAiBody(new GatewayError(name as ErrorName)).error.type),
          ),
        },
        param: {
          type: 'string',
          nullable: true,
          description: 'The parameter or body member at fault, as the request spells it.',
        },
        code: { type: 'string', nullable: true, description: 'What is wrong, for programs.' },
      },
    },
  },
});

/** The error envelope of the published prices. */
export const textErrorSchema = (): Schema => ({
  type: 'object',
  description: 'Every error answer of the published prices.',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'A sentence for people; its wording may change.' },
  },
});

const unique = (values: string[]): string[] => [...new Set(values)].sort();

/** The answers without a result, each error with an example. */
export const errorResponses = (): Record<string, Response> => ({
  NotModified: {
    description: 'The caller has the current answer.',
    headers: answerReferences(['ETag', 'x-request-id']),
  },
  ...Object.fromEntries(
    Object.entries(answers).flatMap(([name, codes]) =>
      isLegacy(name)
        ? [[name, errorResponse(name, codes, 'LegacyError')] as const]
        : Object.values(forms).map(
            ({ prefix, schema }) => [prefix + name, errorResponse(name, codes, schema)] as const,
          ),
    ),
  ),
});

const errorResponse = (name: string, codes: readonly ErrorName[], schema: ErrorSchema): Response => ({
  description: codes.map((code) => catalogue[code].message).join(' '),
  headers: answerReferences(name === 'TooManyFailures' ? ['retry-after', 'x-request-id'] : ['x-request-id']),
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      examples: Object.fromEntries(codes.map((code) => [code, { value: bodyOf(code, schema) }])),
    },
  },
});

const isLegacy = (name: string): boolean => name === 'LegacyUnauthenticated';

function bodyOf(code: ErrorName, schema: ErrorSchema) {
  const error = new GatewayError(code);
  if (schema === 'OpenAiError') return openAiBody(error);
  if (schema === 'TextError') return textBody(error);
  return {
    ...(schema === 'LegacyError' && { success: false, data: { message: catalogue[code].message } }),
    ...administrationBody(error),
  };
}
