import {
  BREAK,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  visit,
} from 'graphql';
import type { Graph } from '../../src/graph/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';

export type Run = (
  variables: Record<string, unknown>,
  context: GraphContext,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Runs one document: compiled by graphql-jit where that gives the very same result, else by the graph's executor. It is
 * compiled when it first runs: there are about a hundred, and most processes are asked for a few.
 */
export function executorOf(graph: Graph, document: DocumentNode, inputType: GraphQLInputType | null): Run {
  let run: Promise<Run> | undefined;
  return async (variables, context) => {
    run ??= compile(graph, document, inputType);
    return (await run)(variables, context);
  };
}

async function compile(
  graph: Graph,
  document: DocumentNode,
  inputType: GraphQLInputType | null,
): Promise<Run> {
  const isCompilable = !hasVariableInObject(document) && !(inputType && isRecursive(inputType));
  if (isCompilable) {
    const { compileQuery, isCompiledQuery } = await import('graphql-jit');
    const compiled = compileQuery(graph.schema, document, undefined, { disablingCapturingStackErrors: true });
    if (isCompiledQuery(compiled))
      return (variables, context) => compiled.query(undefined, context, variables);
  }
  return (variables, context) => graph.execute(document, variables, context);
}

/** graphql-jit turns `{ slug: $slug }` without a slug into `{ slug: null }`; GraphQL leaves the member out. */
function hasVariableInObject(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    ObjectValue: (object) => {
      visit(object, {
        Variable: () => {
          found = true;
          return BREAK;
        },
      });
      return found ? BREAK : false;
    },
  });
  return found;
}

/** graphql-jit cannot compile an input type that contains itself. */
function isRecursive(type: GraphQLInputType, above: readonly string[] = []): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return false;
  if (above.includes(named.name)) return true;
  return Object.values(named.getFields()).some((field) => isRecursive(field.type, [...above, named.name]));
}
