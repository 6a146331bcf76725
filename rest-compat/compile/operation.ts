import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  NoUnusedFragmentsRule,
  type OperationDefinitionNode,
  parse,
  Source,
  separateOperations,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate,
  visit,
} from 'graphql';
import { snakeCase } from './names.ts';
import { isRest, type RestDirective, restOf, withRestDirective } from './rest-directive.ts';

export type OperationFile = { path: string; text: string };

/** One REST path as a GraphQL operation, valid against the schema and with the names that REST callers see. */
export type RestOperation = {
  /** `rest-compat/operations/config.graphql: getConfig` */
  label: string;
  rest: RestDirective;
  /** The operation with its fragments; every field carries the REST name as its alias. */
  document: DocumentNode;
  definition: OperationDefinitionNode;
  /** The single root field, whose value becomes the body. */
  root: FieldNode;
};

/** Reads the documents; throws, naming file and operation, when one is not valid. */
export function readOperations(schema: GraphQLSchema, files: OperationFile[]): RestOperation[] {
  const extended = withRestDirective(schema);
  return files.flatMap(({ path, text }) => {
    const document = parse(new Source(text, path), { noLocation: true });
    const fileRules = [NoUnusedFragmentsRule, UniqueFragmentNamesRule, UniqueOperationNamesRule];
    refuse(path, validate(extended, document, fileRules));
    return Object.entries(separateOperations(document)).map(([name, separated]) =>
      readOperation(extended, `${path}: ${name || '(unnamed operation)'}`, withRestNames(separated)),
    );
  });
}

function readOperation(schema: GraphQLSchema, label: string, document: DocumentNode): RestOperation {
  refuse(label, validate(schema, document));
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const rest = definition && restOf(schema, definition);
  if (!definition || !rest) throw new Error(`${label} has no @rest.`);
  const [root, ...others] = definition.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || others.length > 0) {
    throw new Error(`${label} must select exactly one root field; its value becomes the body.`);
  }
  return { label, rest, definition, root, document: withoutRest(document) };
}

function refuse(label: string, mistakes: readonly { message: string }[]): void {
  const [first] = mistakes;
  if (first) throw new Error(`${label}: ${first.message}`);
}

const withoutRest = (document: DocumentNode): DocumentNode =>
  visit(document, { Directive: (directive) => (isRest(directive) ? null : undefined) });

/** Aliases every field to its snake_case name, so that the executor itself builds the REST body. */
const withRestNames = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Field: (field) => {
      const alias = snakeCase(field.name.value);
      if (field.alias || alias === field.name.value || field.name.value.startsWith('__')) return undefined;
      return { ...field, alias: { kind: Kind.NAME, value: alias } };
    },
  });
