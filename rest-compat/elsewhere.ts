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
import type { OperationFile } from './operation.ts';
import { restOf, withRestDirective } from './rest-directive.ts';
import type { Endpoint } from './route.ts';

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
export function elsewhereEndpoints(schema: GraphQLSchema, files: OperationFile[]): Endpoint[] {
  const extended = withRestDirective(schema);
  return files.map(({ path, text }) => {
    const document = parse(new Source(text, path));
    const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    const rest = definition && restOf(extended, definition);
    if (!rest) throw new Error(`${path} has an operation without @rest.`);
    return { label: `${path}: ${definition.name?.value}`, ...rest, answer: notHere };
  });
}

const notHere = async (): Promise<never> => {
  throw new GatewayError('NOT_FOUND', { message: 'The subgraph behind this path is not served here.' });
};
