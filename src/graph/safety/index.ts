import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type ParseOptions,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { defaultGraphLimits } from '../../settings/graph/graph-limits.ts';
import { toGraphError } from '../doors/errors.ts';
import { requestError } from '../doors/http-errors.ts';
import { createLimits, type LimitSettings, type Limits } from './limits/index.ts';
import { type DocumentReference, readTrustedDocuments, type TrustedDocuments } from './trusted-documents.ts';

export type SafetySettings = LimitSettings & { introspection: boolean; timeout: number };

/** What a caller sends to a door of the graph, not checked yet. */
export type OperationRequest = DocumentReference & { operationName?: unknown; variables?: unknown };

/** An operation that may run: `execute({ schema, contextValue, ...admitted })`. */
export type Admitted = Pick<
  ExecutionArgs,
  'document' | 'operationName' | 'variableValues' | 'hideSuggestions'
>;

/** What every door of the graph enforces before an operation runs; one value, so that no door is weaker than another. */
export type Safety = {
  parseOptions: ParseOptions;
  /** The rules beside those of GraphQL itself. */
  validationRules: ValidationRule[];
  /** For `validate` and `execute`: errors leave out names of the schema that the caller did not write. */
  hideSuggestions: boolean;
  /** The one check that needs variables; throws a GraphQLError. */
  requireAffordable: Limits['requireAffordable'];
  /** Milliseconds that an operation may take, the arrival of its body included. */
  timeout: number;
  /** The only documents that may run; null when any may. */
  documents: TrustedDocuments | null;
  /**
   * Every check at once, for doors without Apollo Server: the operation that may run, or the errors that refuse it.
   */
  admit(schema: GraphQLSchema, request: OperationRequest): Admitted | GraphQLError[];
};

/** The most tokens (names, values and punctuation) of one document. */
const MAX_TOKENS = 5_000;

export const defaultSafety: SafetySettings = {
  introspection: true,
  ...defaultGraphLimits,
};

/**
 * Makes the checks that all doors share. With trusted documents nothing else runs; one of a manifest that does not fit the
 * schema, when one is given, ends the start.
 */
export function createSafety(
  { introspection, timeout, ...limitSettings }: SafetySettings = defaultSafety,
  trusted: TrustedDocuments | { manifest: string; schema: GraphQLSchema | null } | null = null,
): Safety {
  const limits = createLimits(limitSettings);
  const parseOptions = { maxTokens: MAX_TOKENS };
  const validationRules = [limits.rule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  const hideSuggestions = !introspection;
  const documents =
    trusted && 'manifest' in trusted
      ? readTrustedDocuments(trusted.manifest, trusted.schema, validationRules)
      : trusted;

  /** Parsed and validated, or the errors in it. */
  function read(schema: GraphQLSchema, text: string): DocumentNode | GraphQLError[] {
    let document: DocumentNode;
    try {
      document = parse(text, parseOptions);
    } catch (error) {
      return [refusal('GRAPHQL_PARSE_FAILED', error)];
    }
    const errors = validate(schema, document, [...validationRules, ...specifiedRules], { hideSuggestions });
    return errors.length === 0
      ? document
      : errors.map((error) =>
          refusal('GRAPHQL_VALIDATION_FAILED', hideSuggestions ? unsuggested(error) : error),
        );
  }

  return {
    parseOptions,
    validationRules,
    hideSuggestions,
    requireAffordable: limits.requireAffordable,
    timeout,
    documents,
    admit(schema, request) {
      const { operationName = null, variables = null } = request;
      let query: unknown;
      try {
        query = documents ? documents.textOf(request) : request.query;
      } catch (error) {
        return [requestError(toGraphError(error))];
      }
      if (typeof query !== 'string') return [badRequest('query must be a text.')];
      if (!isTextOrNull(operationName)) return [badRequest('operationName must be a text.')];
      if (!isRecordOrNull(variables)) return [badRequest('variables must be an object.')];
      const document = read(schema, query);
      if (Array.isArray(document)) return document;
      const operation = getOperationAST(document, operationName);
      if (!operation) return [badRequest('operationName must name one operation of the document.')];
      const variableValues = variables ?? {};
      try {
        limits.requireAffordable(schema, document, operation, variableValues);
      } catch (error) {
        return [refusal('GRAPHQL_VALIDATION_FAILED', error)];
      }
      return { document, operationName, variableValues, hideSuggestions };
    },
  };
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';
const isRecordOrNull = (value: unknown): value is Record<string, unknown> | null =>
  typeof value === 'object' && !Array.isArray(value);

/** An error under the code that Apollo Server would give it. */
function refusal(code: string, error: unknown): GraphQLError {
  const { message, nodes, source, positions } = error as GraphQLError;
  const originalError = error instanceof RangeError ? error : undefined;
  const extensions = { code, http: { status: 400 } };
  return new GraphQLError(message, { nodes, source, positions, originalError, extensions });
}

/**
 * Removes suggestions from messages, as Apollo Server does: some rules make suggestions although they are told not
 * to.
 */
const unsuggested = ({ message, nodes }: GraphQLError): GraphQLError =>
  new GraphQLError(message.replace(/ ?Did you mean(.+?)\?$/, ''), { nodes });

const badRequest = (message: string) => refusal('BAD_REQUEST', { message });
