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
import { GatewayError } from '../src/errors/index.ts';
import type { CompiledOperation } from './compile.ts';
import type { OperationFile } from './operation.ts';
import { restOf, withRestDirective } from './rest-directive.ts';

export type SplitOperations = {
  operations: OperationFile[];
  /** One operation each. */
  elsewhere: OperationFile[];
};

/** For a process that serves only some subgraphs: the operations that its graph answers, and those that it cannot. */
export function splitOperations(schema: GraphQLSchema, files: OperationFile[]): SplitOperations {
  const split: SplitOperations = { operations: [], elsewhere: [] };
  for (const { path, text } of files) {
    for (const document of Object.values(separateOperations(parse(new Source(text, path))))) {
      const missing = validate(schema, document, [FieldsOnCorrectTypeRule, KnownTypeNamesRule]);
      split[missing.length === 0 ? 'operations' : 'elsewhere'].push({ path, text: print(document) });
    }
  }
  return split;
}

/** Operations of other processes: their paths are known, and answer 404 instead of going on to a provider. */
export function elsewhereOperations(schema: GraphQLSchema, files: OperationFile[]): CompiledOperation[] {
  const extended = withRestDirective(schema);
  return files.map(({ path, text }) => {
    const document = parse(new Source(text, path));
    const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    const root = definition?.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
    const rest = definition && restOf(extended, definition);
    if (!definition || !root || !rest)
      throw new Error(`${path} has an operation without a root field or @rest.`);
    const label = `${path}: ${definition.name?.value}`;
    return { label, rest, document, definition, root, takesBody: false, run: notHere };
  });
}

const notHere = async (): Promise<never> => {
  throw new GatewayError('NOT_FOUND', { message: 'The subgraph behind this path is not served here.' });
};
