import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  validate,
  visit,
} from 'graphql';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../../subgraphs/context.ts';
import { requestError } from '../../doors/http-errors.ts';
import type { Joined } from '../join.ts';

type Route = 'fused' | 'stitched' | 'introspection';

/** Runs operations on the fused schema where that has all their fields, and through stitching where it does not. */
export function joinedExecutor(fused: GraphQLSchema, { schema, stitched }: Joined) {
  const routes = new WeakMap<DocumentNode, Route>();

  function routeOf(document: DocumentNode): Route {
    let route = routes.get(document);
    if (!route) {
      if (onlyIntrospects(document)) route = 'introspection';
      else route = !introspects(document) && validate(fused, document).length === 0 ? 'fused' : 'stitched';
      routes.set(document, route);
    }
    return route;
  }

  return (args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> => {
    const route = routeOf(args.document);
    if (route === 'fused') return execute({ ...args, schema: fused });
    const operation = getOperationAST(args.document, args.operationName);
    // Introspection runs here, and so does an operation that does not exist, for its error message.
    if (route === 'introspection' || !operation) return execute({ ...args, schema });
    if (!(args.contextValue as GraphContext).principal) {
      return { errors: [requestError(new GatewayError('UNAUTHENTICATED'))] };
    }
    // The stitched schema knows no scalars of ours: it passes values on as they were given.
    const { errors } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      args.variableValues ?? {},
      {
        maxErrors: 50,
      },
    );
    if (errors) return { errors };
    return withSingleErrors(execute({ ...args, schema: stitched }));
  };
}

const isMeta = (name: string): boolean => name === '__schema' || name === '__type';

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      found ||= isMeta(name.value);
    },
  });
  return found;
}

/** True when no root field asks for data; root fields in fragments count as data, which costs such a query its speed only. */
const onlyIntrospects = ({ definitions }: DocumentNode): boolean =>
  definitions.every(
    (node) =>
      node.kind !== Kind.OPERATION_DEFINITION ||
      node.selectionSet.selections.every(
        (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
      ),
  );

/** Stitching puts several errors of one field into one; callers get each with its own path. */
async function withSingleErrors(
  running: ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const { errors, ...result } = await running;
  return errors ? { ...result, errors: errors.flatMap(singles) } : result;
}

function singles(error: GraphQLError): GraphQLError[] {
  const { originalError } = error;
  if (!(originalError instanceof AggregateError)) return [error];
  return originalError.errors.flatMap((part: unknown) =>
    part instanceof GraphQLError
      ? singles(part)
      : [new GraphQLError(error.message, { path: error.path ?? null, originalError: part as Error })],
  );
}
