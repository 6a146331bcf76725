import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  TokenKind,
  type ValidationContext,
} from 'graphql';
import { createMeasure, type Measure } from './measure.ts';
import type { Variables } from './page-size.ts';

export type LimitSettings = {
  maxDepth: number;
  maxCost: number;
};

export type Limits = {
  /** A validation rule for what the text alone tells. It ends the validation of a document that it refuses. */
  rule(context: ValidationContext): ASTVisitor;
  /** Throws when an operation with these variables asks for more than it may. */
  requireAffordable(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): void;
};

/** The most fields of an operation: several screens' worth. The fields of a fragment count wherever it is spread. */
const MAX_FIELDS = 500;
/** The most root fields of an operation; each is a read of its own. */
const MAX_ROOT_FIELDS = 20;
const MAX_ALIASES = 100;
/**
 * The most definitions (operations and fragments) of one document: editors send all of their text, whichever part is
 * to run.
 */
const MAX_DEFINITIONS = 100;
/** The deepest nesting of brackets, braces and parentheses: rules of GraphQL itself recurse once a level. */
const MAX_NESTING = 200;

/**
 * The bounds of operations. Written here, though graphql-armor has some of them, since it knows no page sizes: a page of
 * a thousand items costs there what a page of one does.
 */
export function createLimits({ maxDepth, maxCost }: LimitSettings): Limits {
  const measures = new WeakMap<GraphQLSchema, ReturnType<typeof createMeasure>>();
  /**
   * The cost of an operation with the most expensive variables. Most operations are affordable even then, and are
   * measured once.
   */
  const mostCosts = new WeakMap<OperationDefinitionNode, number>();

  function measureOf(schema: GraphQLSchema) {
    const measure = measures.get(schema) ?? createMeasure(schema);
    measures.set(schema, measure);
    return measure;
  }

  const structure: { of: keyof Measure; limit: number; unit: string }[] = [
    { of: 'depth', limit: maxDepth, unit: 'levels of fields' },
    { of: 'rootFields', limit: MAX_ROOT_FIELDS, unit: 'root fields' },
    { of: 'aliases', limit: MAX_ALIASES, unit: 'aliases' },
    // Aliases in introspection are refused: no tool needs them, and each could answer the whole schema once more.
    { of: 'introspectionAliases', limit: 0, unit: 'aliases in introspection' },
    { of: 'fields', limit: MAX_FIELDS, unit: 'fields' },
  ];

  function excessOf(document: DocumentNode, schema: GraphQLSchema): GraphQLError | undefined {
    const { length } = document.definitions;
    if (length > MAX_DEFINITIONS) {
      return tooMuch(`The document has ${length} operations and fragments`, MAX_DEFINITIONS);
    }
    const nesting = nestingOf(document);
    if (nesting > MAX_NESTING) {
      return tooMuch(`The document nests brackets ${nesting} levels deep`, MAX_NESTING);
    }
    for (const operation of document.definitions) {
      if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
      const measure = measureOf(schema)(document, operation, {});
      const broken = structure.find(({ of, limit }) => measure[of] > limit);
      if (!broken) continue;
      const measured = measure[broken.of];
      const count = Number.isFinite(measured) ? measured : 'countless';
      return tooMuch(`The operation has ${count} ${broken.unit}`, broken.limit, operation);
    }
    return undefined;
  }

  return {
    rule: (context) => ({
      Document(document) {
        const excess = excessOf(document, context.getSchema());
        if (!excess) return undefined;
        context.reportError(excess);
        // An empty document stops every other rule: none of them shall work on a document that is too large.
        return null;
      },
    }),
    requireAffordable(schema, document, operation, variables) {
      const measure = measureOf(schema);
      const most = mostCosts.get(operation) ?? measure(document, operation, unknownVariables(operation)).cost;
      mostCosts.set(operation, most);
      if (most <= maxCost) return;
      const { cost } = measure(document, operation, variables);
      if (cost > maxCost) throw tooMuch(`The operation costs ${cost}`, maxCost, operation);
    },
  };
}

const opening = new Set<string>([TokenKind.BRACKET_L, TokenKind.BRACE_L, TokenKind.PAREN_L]);
const closing = new Set<string>([TokenKind.BRACKET_R, TokenKind.BRACE_R, TokenKind.PAREN_R]);

/** The nesting is counted from tokens, because a walk down the document might itself go too deep. */
function nestingOf({ loc }: DocumentNode): number {
  let [level, deepest] = [0, 0];
  for (let token = loc?.startToken; token; token = token.next ?? undefined) {
    if (opening.has(token.kind)) deepest = Math.max(deepest, ++level);
    else if (closing.has(token.kind)) level--;
  }
  return deepest;
}

/** Values that are no numbers: each counts as the largest number that its argument allows. */
const unknownVariables = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(variableDefinitions.map(({ variable }) => [variable.name.value, 'unknown']));

const tooMuch = (finding: string, limit: number, operation?: OperationDefinitionNode): GraphQLError =>
  new GraphQLError(`${finding}; the limit is ${limit}.`, {
    nodes: operation,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
  });
