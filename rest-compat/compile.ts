import type { ExecutionResult, GraphQLInputType } from 'graphql';
import { getNamedType, isInputObjectType } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { GatewayError } from '../src/errors/index.ts';
import { causeOf, type Graph } from '../src/graph/index.ts';
import type { GraphContext } from '../src/subgraphs/context.ts';
import { callerSpelling } from './caller-spelling.ts';
import type { RestOperation } from './operation.ts';
import { planVariables, type RequestInput } from './variables.ts';

/** One REST path, ready to run. */
export type CompiledOperation = RestOperation & {
  takesBody: boolean;
  /** Answers the body as JSON text; throws a GatewayError that names fields as the caller spelled them. */
  run(input: RequestInput, context: GraphContext): Promise<string>;
};

type Run = (
  variables: Record<string, unknown>,
  context: GraphContext,
) => ExecutionResult | Promise<ExecutionResult>;

export function compileOperation(graph: Graph, operation: RestOperation): CompiledOperation {
  const plan = planVariables(graph.schema, operation);
  const execute = executorOf(graph, operation, plan.inputType);
  const key = operation.root.alias?.value ?? operation.root.name.value;
  const toText = envelopeOf(operation.rest.envelope);
  return {
    ...operation,
    takesBody: plan.takesBody,
    async run(input, context) {
      const result = await execute(plan.read(input), context);
      const [error] = result.errors ?? [];
      if (!error) return toText(result.data?.[key]);
      // Without data nothing ran: the variables were refused.
      if (result.data === undefined) throw new GatewayError('VALIDATION_FAILED', { message: error.message });
      throw callerSpelling(operation, plan, input, causeOf(error));
    },
  };
}

/** Compiled where graphql-jit can; it cannot compile input types that contain themselves. */
function executorOf(graph: Graph, { document }: RestOperation, inputType: GraphQLInputType | null): Run {
  if (!inputType || !isRecursive(inputType)) {
    const compiled = compileQuery(graph.schema, document, undefined, { disablingCapturingStackErrors: true });
    if (isCompiledQuery(compiled))
      return (variables, context) => compiled.query(undefined, context, variables);
  }
  return (variables, context) => graph.execute(document, variables, context);
}

function isRecursive(type: GraphQLInputType, above: readonly string[] = []): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return false;
  if (above.includes(named.name)) return true;
  return Object.values(named.getFields()).some((field) => isRecursive(field.type, [...above, named.name]));
}

/** The body around the root field's value, rendered once: `{success: true, data: "$"}` -> `{"success":true,"data":` … `}`. */
function envelopeOf(template: unknown): (value: unknown) => string {
  if (template === undefined) return (value) => JSON.stringify(value ?? null);
  const parts = JSON.stringify(template).split('"$"');
  return parts.length === 1 ? () => parts.join('') : (value) => parts.join(JSON.stringify(value ?? null));
}
