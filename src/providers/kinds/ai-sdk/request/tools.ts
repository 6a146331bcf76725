import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';
import { type Fields, isFlag, isText, RequestProblem } from '../fields.ts';
import { cacheOptions } from './cache-control.ts';

const MAX_TOOLS = 1024;

type Tools = Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>;

/** Functions that the model may call, and whether it must. */
export function toolsOf({ tools, tool_choice: choice }: Fields): Tools {
  if (tools === undefined || tools === null) return {};
  if (!Array.isArray(tools) || tools.length > MAX_TOOLS)
    throw new RequestProblem(`tools must be a list of at most ${MAX_TOOLS} tools.`, 'tools');
  if (tools.length === 0) return {};
  const functions = tools.map(toolOf);
  return { tools: functions, toolChoice: choiceOf(choice, functions) };
}

function toolOf(tool: unknown, index: number): LanguageModelV4FunctionTool {
  const at = `tools[${index}]`;
  const { type, function: definition, cache_control: cacheControl } = isObject(tool) ? tool : {};
  if (type !== 'function' || !isObject(definition) || !isText(definition.name) || definition.name === '')
    throw new RequestProblem(`${at} must be a function with a name: this provider has no other tools.`, at);
  const { name, description, parameters, strict } = definition;
  if (parameters !== undefined && parameters !== null && !isObject(parameters))
    throw new RequestProblem(`${at}.function.parameters must be a JSON schema.`, `${at}.function.parameters`);
  return {
    type: 'function',
    name,
    description: isText(description) ? description : undefined,
    inputSchema: { type: 'object', properties: {}, ...parameters },
    ...(isFlag(strict) && { strict }),
    providerOptions: cacheOptions(cacheControl ?? definition.cache_control),
  };
}

function choiceOf(choice: unknown, tools: LanguageModelV4FunctionTool[]): Tools['toolChoice'] {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  const { function: named } = isObject(choice) ? choice : {};
  const name = isObject(named) ? named.name : undefined;
  if (!isText(name) || !tools.some((tool) => tool.name === name))
    throw new RequestProblem(
      'tool_choice must be auto, none, required or a function that tools lists.',
      'tool_choice',
    );
  return { type: 'tool', toolName: name };
}
