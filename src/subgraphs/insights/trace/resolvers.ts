import type { Resolvers } from '../../subgraph.ts';
import { getTrace, type TraceTree } from './service.ts';
import type { SpanNode } from './tree.ts';

export const resolvers: Resolvers = {
  Query: { trace: (_parent, args, context) => getTrace(context, args) },
  Trace: { spans: ({ spans }: TraceTree, { limit }) => spans.slice(0, limit) },
  Span: { children: ({ children }: SpanNode, { limit }) => children.slice(0, limit) },
};
