import {
  FieldsOnCorrectTypeRule,
  type GraphQLSchema,
  Kind,
  KnownTypeNamesRule,
  parse,
  print,
  Source,
  separateOperations,
  validate,
} from 'graphql';
import type { Surfaces } from '../serve/route.ts';
import type { OperationFile } from './operation.ts';
import { type RestDirective, restOf, withRestDirective } from './rest-directive.ts';

export type SplitOperations = {
  operations: OperationFile[];
  /** The paths of the operations that the graph of this process cannot answer. */
  elsewhere: RestDirective[];
};

/**
 * Splits the operations for a process that serves only some subgraphs: those that its graph answers, and the paths of
 * the others.
 */
export function splitOperations(schema: GraphQLSchema, files: OperationFile[]): SplitOperations {
  const extended = withRestDirective(schema);
  const split: SplitOperations = { operations: [], elsewhere: [] };
  for (const { path, text } of files) {
    for (const document of Object.values(separateOperations(parse(new Source(text, path))))) {
      const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
      const rest = definition && restOf(extended, definition);
      const isAnswered =
        validate(schema, document, [FieldsOnCorrectTypeRule, KnownTypeNamesRule]).length === 0;
      if (rest && !isAnswered) split.elsewhere.push(rest);
      else split.operations.push({ path, text: print(document) });
    }
  }
  return split;
}

/** Knows the paths of operations that other processes answer: they must not go on to a provider. */
export function elsewherePaths(elsewhere: RestDirective[], surfaces: Surfaces): (path: string) => boolean {
  const paths = elsewhere.flatMap(({ on, path }) =>
    on.flatMap((base) => {
      const surface = surfaces[base];
      return surface ? [new RegExp(`^${surface.prefix}${path.replace(/\{\w+\}/g, '[^/]+')}/?$`)] : [];
    }),
  );
  return (path) => paths.some((known) => known.test(path));
}
