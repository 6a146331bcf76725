import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import type { McpOptions, RunTool } from '../../../runs/settings.ts';
import { parsed } from './parsed.ts';
import { rankingOptions } from './ranking.ts';

const functionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().max(100_000).nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});

const fileSearch = z.strictObject({
  type: z.literal('file_search'),
  file_search: z
    .strictObject({
      max_num_results: z.int().min(1).max(50).optional(),
      ranking_options: rankingOptions.required({ score_threshold: true }).optional(),
    })
    .optional(),
});

const codeInterpreter = z.strictObject({ type: z.literal('code_interpreter') });

/** Names of tools in one list. */
const MOST_NAMES = 128;
const toolNames = z.array(z.string().min(1).max(255)).min(1).max(MOST_NAMES);
const toolFilter = z.strictObject({ tool_names: toolNames.optional(), read_only: z.boolean().optional() });

const allowedTools = z.custom<McpOptions['allowed_tools']>(
  (value) => toolNames.safeParse(value).success || toolFilter.safeParse(value).success,
  `must be 1 to ${MOST_NAMES} names of tools, or {"tool_names": […], "read_only": true}.`,
);

const filters = z.strictObject({ always: toolFilter.optional(), never: toolFilter.optional() });
const requireApproval = z.custom<McpOptions['require_approval']>(
  (value) => value === 'always' || value === 'never' || filters.safeParse(value).success,
  'must be always, never, or {"always": {"tool_names": […]}, "never": {"tool_names": […]}}.',
);

const mcp = z.strictObject({
  type: z.literal('mcp'),
  mcp: z.strictObject({
    server: z.string().regex(/^[A-Za-z0-9_-]{3,50}$/),
    allowed_tools: allowedTools.nullish(),
    require_approval: requireApproval.nullish(),
  }),
});

const tool = z.discriminatedUnion('type', [functionTool, fileSearch, codeInterpreter, mcp]);

/** The most tools of an assistant, and of a run that names its own. */
export const MOST_TOOLS = { assistant: 128, run: 20 } as const;

/** Tools as an assistant or a run lists them. */
export const toolsOf = (value: unknown, param: string, most: number): RunTool[] =>
  parsed(z.array(tool).max(most), nested(value), param) as RunTool[];

/** What is said of an MCP server may also stand beside the type, as the Responses API has it. */
function nested(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? [];
  return value.map((given: unknown) => {
    if (!isObject(given) || given.type !== 'mcp' || !('server' in given)) return given;
    const { type, ...options } = given;
    return { type, mcp: options };
  });
}
