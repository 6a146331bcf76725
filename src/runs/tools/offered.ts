import { freeName } from '../../lib/free-name.ts';
import { ToolFailed } from '../deps.ts';
import type { RunDocument } from '../run.ts';
import { type FunctionTool, type HostedToolType, isFunctionTool } from '../settings.ts';
import type { HostedFunction, HostedTool } from './tool.ts';

/** A function that the model is offered, and the tool that answers its calls. */
export type OfferedFunction = HostedFunction & { tool: HostedTool };

/** The hosted tools that the model is offered in a turn. */
export type OfferedTools = {
  /** As functions, for the request. */
  functions: FunctionTool[];
  /** By the names under which they are offered. */
  byName: ReadonlyMap<string, OfferedFunction>;
};

/** Functions that providers take in one request. */
const MOST_FUNCTIONS = 128;

const none: OfferedTools = { functions: [], byName: new Map() };

/**
 * The hosted tools of a run that have something at hand. Where a function of the caller has the name of one, the tool gets another.
 * Throws ToolFailed for more functions than a model takes.
 */
export async function offeredTools(tools: readonly HostedTool[], run: RunDocument): Promise<OfferedTools> {
  const wanted = new Set(run.tools.map(({ type }) => type));
  const chosen = tools.filter(({ type }) => wanted.has(type));
  if (chosen.length === 0) return none;
  const taken = new Set(run.tools.filter(isFunctionTool).map((tool) => tool.function.name));
  const byName = new Map<string, OfferedFunction>();
  const functions: FunctionTool[] = [];
  for (const tool of chosen) {
    for (const offered of await tool.offer(run)) {
      const name = freeName(offered.definition.name, taken);
      byName.set(name, { ...offered, tool });
      functions.push({ type: 'function', function: { ...offered.definition, name } });
    }
  }
  if (taken.size > MOST_FUNCTIONS)
    throw new ToolFailed(
      `The tools of the run come to ${taken.size} functions, and a model takes ${MOST_FUNCTIONS}.`,
    );
  return { functions, byName };
}

/** The name under which a tool is offered; absent where it is not. */
export const nameOfTool = ({ byName }: OfferedTools, type: HostedToolType): string | undefined =>
  [...byName].find(([, { tool }]) => tool.type === type)?.[0];
