import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { Graph } from './graph.ts';

/** The graph as callers meet it; with remote subgraphs it changes while the process runs. */
export type ServedGraph = {
  /** What callers may ask at this moment. */
  readonly schema: GraphQLSchema;
  /** What a federation router needs to run the same subgraphs. */
  readonly supergraphSdl: string;
  /** Runs a document that was validated against `schema`, this moment's or an earlier one's. */
  execute(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult>;
  /** Calls back whenever `schema` is another one; the answer ends that. */
  onChange(listener: () => void): () => void;
};

/** The built-in subgraphs alone: nothing ever changes. */
export const servedAlone = ({
  schema,
  supergraphSdl,
}: Pick<Graph, 'schema' | 'supergraphSdl'>): ServedGraph => ({
  schema,
  supergraphSdl,
  execute,
  onChange: () => () => undefined,
});
