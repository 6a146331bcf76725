import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';

type Path = readonly (string | number)[];

/**
 * Stitching gives an error in a list of entities a path without the index, and execution believes a path that an error
 * brings along. Every field knows where it stands, so each error is put there.
 */
export function correctErrorPaths(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve = atItsPlace(field.resolve ?? defaultFieldResolver);
    }
  }
}

const atItsPlace =
  (resolve: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> =>
  (parent, args, context, info) => {
    const value = resolve(parent, args, context, info);
    return value instanceof Promise
      ? value.then(
          (settled) => placed(settled, info),
          (error) => Promise.reject(placed(error, info)),
        )
      : placed(value, info);
  };

function placed(value: unknown, info: GraphQLResolveInfo): unknown {
  if (value instanceof GraphQLError) return relocate(value, pathOf(info));
  if (value instanceof AggregateError) {
    return new AggregateError(
      value.errors.map((error) => placed(error, info)),
      value.message,
    );
  }
  if (Array.isArray(value) && value.some((item) => item instanceof Error || Array.isArray(item))) {
    return value.map((item) => placed(item, info));
  }
  return value;
}

function pathOf({ path }: GraphQLResolveInfo): Path {
  const keys: (string | number)[] = [];
  for (let at: typeof path | undefined = path; at; at = at.prev) keys.unshift(at.key);
  return keys;
}

function relocate(error: GraphQLError, place: Path): GraphQLError {
  const { message, nodes, source, positions, originalError, extensions } = error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: [...place, ...below(error.path ?? [], place)],
    originalError: originalError ?? null,
    extensions,
  });
}

/** What follows `place` in a path whose indexes cannot be trusted up to there. */
function below(path: Path, place: Path): Path {
  let at = 0;
  for (const key of place) {
    if (typeof key === 'number') continue;
    while (typeof path[at] === 'number') at += 1;
    if (path[at] !== key) return [];
    at += 1;
  }
  return path.slice(at);
}
