import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  specifiedRules,
  validate,
  visit,
} from 'graphql';

/** The text of a file with documents, and its path in the repository. */
export type DocumentSource = { path: string; text: string };

/** One operation with the fragments that it needs: what the service runs, under the SHA-256 of its text. */
export type ConsoleOperation = { name: string; text: string; hash: string; document: DocumentNode };

/** The operations of one file. */
export type ConsoleDocument = { path: string; operations: ConsoleOperation[] };

/**
 * Reads the documents of the console. Fragments are shared by all files. Throws, naming the file, for what does not fit the
 * schema, for an operation without a name, and for a name that is taken.
 */
export function readConsoleDocuments(
  schema: GraphQLSchema,
  sources: readonly DocumentSource[],
): ConsoleDocument[] {
  const parsed = sources.map(({ path, text }) => ({ path, document: parse(text) }));
  const fragments = new Map<string, FragmentDefinitionNode>();
  const names = new Set<string>();
  for (const { path, document } of parsed) {
    for (const definition of document.definitions) {
      if (!('name' in definition) || !definition.name) throw new Error(`${path}: an operation has no name.`);
      const name = definition.name.value;
      if (names.has(name)) throw new Error(`${path}: another document is named ${name} already.`);
      names.add(name);
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(name, definition);
    }
  }
  return parsed.map(({ path, document }) => ({
    path,
    operations: document.definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((operation) => operationOf(schema, path, withFragments(operation, fragments))),
  }));
}

function operationOf(schema: GraphQLSchema, path: string, document: DocumentNode): ConsoleOperation {
  const [mistake] = validate(schema, document, specifiedRules);
  if (mistake) throw new Error(`${path}: ${mistake.message}`);
  const [operation] = document.definitions as [OperationDefinitionNode];
  const text = print(document);
  const hash = createHash('sha256').update(text).digest('hex');
  return { name: operation.name?.value ?? '', text, hash, document };
}

/** The operation, and every fragment that it reaches. */
function withFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const reached = new Set<FragmentDefinitionNode>();
  const reach = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      [Kind.FRAGMENT_SPREAD]({ name }) {
        const fragment = fragments.get(name.value);
        // Validation names a fragment that nobody has written.
        if (!fragment || reached.has(fragment)) return;
        reached.add(fragment);
        reach(fragment);
      },
    });
  };
  reach(operation);
  return { kind: Kind.DOCUMENT, definitions: [operation, ...reached] };
}
