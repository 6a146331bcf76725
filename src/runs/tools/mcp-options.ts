import { type AllowedTools, type FoundTool, isAllowed } from '../../mcp/models/index.ts';
import type { McpOptions, ToolFilter } from '../settings.ts';

/** The tools of a server that a run lets its model use. */
export function allowedTools({ allowed_tools: given }: McpOptions): AllowedTools {
  if (given === undefined || given === null) return { names: null, readOnly: false };
  return setOf(Array.isArray(given) ? { tool_names: given } : given);
}

const setOf = ({ tool_names: names, read_only: readOnly = false }: ToolFilter): AllowedTools => ({
  names: names === undefined ? null : new Set(names),
  readOnly,
});

/**
 * Whether a call of a tool waits for the caller's word. With a filter of either kind: what `always` matches waits; of the rest, what
 * `never` does not match.
 */
export function needsApproval(
  required: McpOptions['require_approval'],
  { name, definition: { annotations } }: Pick<FoundTool, 'name' | 'definition'>,
): boolean {
  if (required === undefined || required === null || typeof required === 'string')
    return required === 'always';
  const { always, never } = required;
  if (always && isAllowed(name, annotations, setOf(always))) return true;
  return never !== undefined && !isAllowed(name, annotations, setOf(never));
}
