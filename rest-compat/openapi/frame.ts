import {
  bases,
  type RestBase,
  type RestErrors,
  type RestMethod,
  type RestUnknown,
} from '../compile/rest-directive.ts';
import type { OpenApiOperation } from './document.ts';
import { type AnswerName, errorAnswers } from './errors.ts';
import { requestReferences } from './headers.ts';
import { inWords } from './readable-names.ts';
import { securityOf, takesTokensAlone } from './surface.ts';

/** Where an operation is mounted and who may use it: the same for documents and for paths that code answers. */
export type Frame = {
  name: string;
  tag: string;
  method: RestMethod;
  path: string;
  on: RestBase[];
  description: string | undefined;
  scopes: string[] | null;
  /** True when it needs no credential. */
  isPublic: boolean;
  takesBody: boolean;
  errors?: RestErrors;
  /** The error where the path names an unknown item; absent: NOT_FOUND. */
  unknown?: RestUnknown;
  /** What it may answer beside the errors of every operation. */
  mayAnswer: AnswerName[];
};

/** An operation on one of its bases, around what it takes and answers. */
export function framed(
  frame: Frame,
  base: RestBase,
  parts: Pick<OpenApiOperation, 'parameters' | 'requestBody' | 'responses'>,
): OpenApiOperation {
  const { name, tag, scopes, description } = frame;
  return {
    operationId: name + suffixOf(frame, base),
    tags: [tag],
    summary: inWords(name),
    description: [description, scopeText(scopes)].filter(Boolean).join('\n\n'),
    ...parts,
    parameters: [...parts.parameters, ...requestReferences(frame.isPublic ? [] : ['x-gateway-workspace-id'])],
    responses: { ...parts.responses, ...errorAnswers(errorsOf(frame, base), frame.errors) },
    security: frame.isPublic ? [] : securityOf(base),
    ...(scopes && { 'x-required-scope': scopes }),
  };
}

/** The name alone on the operation's first base, so that serving a further base renames nothing. */
function suffixOf({ on }: Frame, base: RestBase): string {
  const first = bases.find((known) => on.includes(known));
  return base === first ? '' : `_${base.toLowerCase()}`;
}

const scopeText = (anyOf: string[] | null): string | null =>
  anyOf && `Needs the scope ${anyOf.map((scope) => `\`${scope}\``).join(' or ')}.`;

/** Of two answers with the same status the later one is described; the one for guardrails tells of missing scopes as well. */
const unknownAnswers: Record<RestUnknown, AnswerName> = {
  NOT_FOUND: 'NotFound',
  GUARDRAIL_NOT_FOUND: 'ForbiddenGuardrail',
};

function errorsOf(
  { method, path, scopes, isPublic, takesBody, unknown = 'NOT_FOUND', mayAnswer }: Frame,
  base: RestBase,
): AnswerName[] {
  const names: (AnswerName | false)[] = [
    takesBody ? 'BadRequestBody' : 'BadRequest',
    !isPublic && (takesTokensAlone(base) ? 'InvalidAuthorisation' : 'Unauthenticated'),
    !isPublic && 'TooManyFailures',
    scopes !== null && 'Forbidden',
    path.includes('{') && unknownAnswers[unknown],
    method !== 'GET' && 'Conflict',
    takesBody && 'BodyTooLarge',
    takesBody && 'UnsupportedMediaType',
    'Internal',
    'Unavailable',
    method !== 'GET' && 'StoreFull',
  ];
  return [...names.filter((name) => name !== false), ...mayAnswer];
}
