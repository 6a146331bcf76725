import { type DocumentNode, parse, validate } from 'graphql';
import { GatewayError } from '../errors/index.ts';
import type { GraphContext } from '../subgraphs/context.ts';
import type { Graph } from './composition/graph.ts';
import { causeOf } from './doors/errors.ts';

/** Runs a checked document of one field, `result`, and answers its value; throws the GatewayError of a refusal. */
export async function resultOf<T>(
  graph: Graph,
  document: DocumentNode,
  variables: Record<string, unknown>,
  context: GraphContext,
): Promise<T> {
  const { data, errors } = await graph.execute(document, variables, context);
  const [error] = errors ?? [];
  // Without data, nothing ran: the executor has refused the variables.
  if (error && data === undefined) throw new GatewayError('VALIDATION_FAILED', { message: error.message });
  if (error) throw causeOf(error);
  return data?.result as T;
}

/** Runs the service's own documents in a graph; each text is parsed and checked once, when it first runs. */
export function createOperations(graph: Graph): GraphContext['operations'] {
  const documents = new Map<string, DocumentNode | null>();
  const documentOf = (text: string) => {
    const known = documents.get(text);
    if (known !== undefined) return known;
    const document = parse(text, { noLocation: true });
    const isKnown = validate(graph.schema, document).length === 0;
    documents.set(text, isKnown ? document : null);
    return documents.get(text) ?? null;
  };
  return {
    knows: (text) => documentOf(text) !== null,
    async run<T>(text: string, variables: Record<string, unknown>, context: GraphContext) {
      const document = documentOf(text);
      if (!document) throw new Error(`The graph of this process does not take: ${text}`);
      // What was loaded before a write is not what is there after it.
      return resultOf<T>(graph, document, variables, { ...context, memo: new Map() });
    },
  };
}
