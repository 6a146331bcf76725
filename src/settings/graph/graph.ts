import { z } from 'zod';
import { choice, flag, integer } from '../values.ts';
import { defaultGraphLimits } from './graph-limits.ts';

/** Settings of the graph. */
export const graphSettings = {
  GRAPHQL_INTROSPECTION: flag(true).describe('whether the graph shows its schema'),
  GRAPHQL_SANDBOX: choice.optional().meta({
    unset: '`true`, and `false` with `NODE_ENV=production`',
    description:
      "whether a browser at `/graphql` gets Apollo Sandbox, which runs scripts of Apollo's CDN " +
      "beside the explorer's stored headers",
  }),
  GRAPHQL_MAX_DEPTH: integer(defaultGraphLimits.maxDepth, 1, 100).describe(
    'levels of fields in one GraphQL operation',
  ),
  GRAPHQL_MAX_COST: integer(defaultGraphLimits.maxCost, 1, 100_000_000).describe(
    'fields of one GraphQL operation, counted for every item of its lists',
  ),
  GRAPHQL_TIMEOUT_MS: integer(defaultGraphLimits.timeout, 100, 600_000).describe(
    'milliseconds that a GraphQL operation may take, the body it comes in included',
  ),
  TRUSTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('file with the only GraphQL documents that may run: see docs/graph.md'),
};
