import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';

type Claimed = {
  schema: GraphQLSchema;
  document: DocumentNode;
  variables: Record<string, unknown>;
  data: Record<string, unknown> | null;
};

/** The part of a remote's data that its schema allows for the document; `isSound` tells whether that is all of it. */
export function conform({ schema, document, variables, data }: Claimed): {
  data: ExecutionResult['data'];
  isSound: boolean;
} {
  if (data === null) return { data: null, isSound: true };
  const result = execute({
    schema,
    document,
    variableValues: variables,
    rootValue: data,
    fieldResolver: (parent, _args, _context, { path }) => parent?.[path.key],
    typeResolver: (value) => String((value as { __typename?: unknown } | null)?.__typename),
  });
  if (result instanceof Promise) throw new Error('Plain data has nothing to wait for.');
  return { data: result.data ?? null, isSound: !result.errors };
}
