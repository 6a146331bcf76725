import { schemaValidator } from '../../guardrails/checks/text/schema-validator.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { RelayCall } from './call.ts';
import { subjectOf } from './subject.ts';

/** Characters that a log keeps of what is wrong with a result. */
const MAX_PROBLEM = 500;

/**
 * What in the result of a tool does not fit its `outputSchema`, for the log; null where all does, and for a server whose settings
 * ask for no comparison.
 */
export function outputProblem({ server, method, params }: RelayCall, result: JsonObject): string | null {
  if (server.upstream.configurations.validate_output !== true || method !== 'tools/call') return null;
  const isWhole = result.resultType === undefined || result.resultType === 'complete';
  if (!isWhole || result.isError === true) return null;
  const schema = subjectOf(server, method, params).capability?.definition.outputSchema;
  if (!isObject(schema)) return null;
  if (result.structuredContent === undefined) return 'structuredContent is missing';
  return problemIn(result.structuredContent, schema)?.slice(0, MAX_PROBLEM) ?? null;
}

function problemIn(value: unknown, schema: JsonObject): string | null {
  try {
    return schemaValidator(schema)(value)?.join('; ') ?? null;
  } catch (error) {
    // A server may write a schema that is none, or one that takes too long.
    return `outputSchema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
