import { isObject, type JsonObject } from '../../../lib/json.ts';

/** A tool that a request offers to the model. */
type OfferedTool = { type: string; name: string | null };

/** The tools of a request, in whichever format it offers them. */
export function toolsOf({ tools, functions }: Readonly<JsonObject>): OfferedTool[] {
  return [
    ...itemsOf(tools).flatMap(toolsIn),
    // The older member of chat completions.
    ...itemsOf(functions).map((one) => ({ type: 'function', name: textOf(one.name) })),
  ];
}

/** One entry is one tool, but in Gemini's format, where it holds a list of functions, or a built-in tool by its name. */
function toolsIn(tool: JsonObject): OfferedTool[] {
  const declared = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(declared)) {
    return itemsOf(declared).map(({ name }) => ({ type: 'function', name: textOf(name) }));
  }
  const inner = isObject(tool.function) ? tool.function : isObject(tool.toolSpec) ? tool.toolSpec : tool;
  const name = textOf(inner.name);
  const type = textOf(tool.type);
  if (type === null && name === null) return Object.keys(tool).map((key) => ({ type: key, name: null }));
  return [{ type: type ?? 'function', name }];
}

const itemsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
