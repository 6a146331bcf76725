import type { Resolvers } from '../resolvers.generated.ts';
import { getTrace } from './service.ts';

export const resolvers = {
  Query: { trace: (_parent, args, context) => getTrace(context, args) },
  Trace: { spans: ({ spans }, { limit }) => spans.slice(0, limit) },
  Span: { children: ({ children }, { limit }) => children.slice(0, limit) },
} satisfies Resolvers;
