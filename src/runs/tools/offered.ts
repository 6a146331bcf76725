import type { RunDocument } from '../run.ts';
import { type FunctionTool, type HostedToolType, isFunctionTool } from '../settings.ts';
import type { HostedTool } from './tool.ts';

/** The hosted tools that the model is offered in a turn. */
export type OfferedTools = {
  /** As functions, for the request. */
  functions: FunctionTool[];
  /** By the name of their function. */
  byName: ReadonlyMap<string, HostedTool>;
};

const none: OfferedTools = { functions: [], byName: new Map() };

/** The hosted tools of a run that have something at hand. Where a function of the caller has the name of one, the tool gets another. */
export async function offeredTools(tools: readonly HostedTool[], run: RunDocument): Promise<OfferedTools> {
  const wanted = new Set(run.tools.map(({ type }) => type));
  const chosen = tools.filter(({ type }) => wanted.has(type));
  if (chosen.length === 0) return none;
  const taken = new Set(run.tools.filter(isFunctionTool).map((tool) => tool.function.name));
  const byName = new Map<string, HostedTool>();
  const functions: FunctionTool[] = [];
  for (const tool of chosen) {
    const definition = await tool.offer(run);
    if (!definition) continue;
    let { name } = definition;
    while (taken.has(name)) name += '_';
    taken.add(name);
    byName.set(name, tool);
    functions.push({ type: 'function', function: { ...definition, name } });
  }
  return { functions, byName };
}

/** The name under which a tool is offered; absent where it is not. */
export const nameOfTool = ({ byName }: OfferedTools, type: HostedToolType): string | undefined =>
  [...byName].find(([, tool]) => tool.type === type)?.[0];
