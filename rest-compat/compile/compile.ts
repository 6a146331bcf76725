import { GatewayError } from '../../src/errors/index.ts';
import { causeOf, type Graph } from '../../src/graph/index.ts';
import { readRule } from '../../src/graph/rules/read-rule.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { callerSpelling } from './caller-spelling.ts';
import { executorOf } from './executor.ts';
import { type OperationFile, type RestOperation, readOperations } from './operation.ts';
import { planVariables, type RequestInput } from './variables.ts';

/** One REST path, ready to run. */
export type CompiledOperation = RestOperation & {
  /** The part of a query string that the operation has parameters for. */
  keepKnown(query: string): string;
  /** A caller needs one of these scopes; null when the operation needs none. */
  access: readonly string[] | null;
  /** True when the operation needs no credential. */
  isPublic: boolean;
  /** Answers the body as JSON text; throws a GatewayError that names fields as the caller spelled them. */
  run(input: RequestInput, context: GraphContext): Promise<string>;
};

type Latest = { graph: Graph; files: OperationFile[]; compiled: CompiledOperation[] };
let latest: Latest | undefined;

/**
 * Reads, validates and compiles the documents. Gateways of one process have the same graph and the same documents, for which this is
 * done once.
 */
export function compiledOperations(graph: Graph, files: OperationFile[]): CompiledOperation[] {
  if (latest?.graph !== graph || !isSame(latest.files, files)) {
    const compiled = readOperations(graph.schema, files).map((operation) =>
      compileOperation(graph, operation),
    );
    latest = { graph, files, compiled };
  }
  return latest.compiled;
}

const isSame = (one: OperationFile[], other: OperationFile[]): boolean =>
  one.length === other.length &&
  one.every(({ path, text }, at) => path === other[at]?.path && text === other[at]?.text);

function compileOperation(graph: Graph, operation: RestOperation): CompiledOperation {
  const plan = planVariables(graph.schema, operation);
  const execute = executorOf(graph, operation.document, plan.inputType);
  const key = operation.root.alias?.value ?? operation.root.name.value;
  const toText = envelopeOf(operation.rest.envelope);
  return {
    ...operation,
    keepKnown: plan.keepKnown,
    access: ruleOf(graph, operation, 'access')?.anyOf ?? null,
    isPublic: ruleOf(graph, operation, 'public') !== null,
    async run(input, context) {
      const result = await execute(plan.read(input), context);
      const [error] = result.errors ?? [];
      if (!error) return toText(result.data?.[key]);
      // Without data, nothing ran: the executor has refused the variables.
      if (result.data === undefined) throw new GatewayError('VALIDATION_FAILED', { message: error.message });
      throw callerSpelling(operation, plan, input, causeOf(error));
    },
  };
}

function ruleOf<Name extends 'access' | 'public'>(
  { schema }: Graph,
  { definition, root }: RestOperation,
  name: Name,
) {
  const field = schema.getRootType(definition.operation)?.getFields()[root.name.value];
  return field ? readRule(schema, name, field) : null;
}

/**
 * The body around the root field's value, rendered once: `{success: true, data: "$"}` -> `{"success":true,"data":` … `}`.
 * `"$"` stands for the value, `"$.data"` for its member `data`.
 */
function envelopeOf(template: unknown): (value: unknown) => string {
  if (template === undefined) return (value) => JSON.stringify(value ?? null);
  // Splitting with a capture gives text, member, text, member, ..., text.
  const parts = JSON.stringify(template).split(/"\$(?:\.(\w+))?"/);
  return (value) => {
    let text = parts[0] ?? '';
    for (let index = 1; index < parts.length; index += 2) {
      text += JSON.stringify(pick(value, parts[index]) ?? null) + parts[index + 1];
    }
    return text;
  };
}

const pick = (value: unknown, member: string | undefined): unknown =>
  member === undefined ? value : (value as Record<string, unknown> | null)?.[member];
