import { type AllowedTools, type FoundTool, isAskedFor } from '../../mcp/models/index.ts';
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

/** Whether a call of a tool waits for the caller's word. */
export function needsApproval(
  required: McpOptions['require_approval'],
  { name, definition: { annotations } }: Pick<FoundTool, 'name' | 'definition'>,
): boolean {
  if (required === undefined || required === null || typeof required === 'string')
    return required === 'always';
  const listOf = (list: ToolFilter | undefined) => (list === undefined ? null : setOf(list));
  return isAskedFor({ always: listOf(required.always), never: listOf(required.never) }, name, annotations);
}
