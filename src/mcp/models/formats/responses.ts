import { isOwnLabel, OWN_LABEL } from '../../../dataplane/own-tools/asks-own-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  type ApprovalRequest,
  descriptionOf,
  type ModelTurn,
  type OfferedTool,
  objectsIn,
  schemaOf,
  type ToolFormat,
  type ToolOutcome,
} from './format.ts';
import { wantedIn } from './wanted.ts';

/** The Responses API. */
export const responsesFormat: ToolFormat = {
  wanted: (body) => wantedIn(body, OWN_LABEL, { asks: true }),
  offered: (body, tools) => ({
    ...body,
    input: replayed(body.input, tools),
    tools: [
      ...objectsIn(body.tools).filter((tool) => !isOwnLabel(tool.server_label)),
      ...tools.map((tool) => ({
        ...{ type: 'function', name: tool.functionName, ...descriptionOf(tool) },
        ...{ parameters: schemaOf(tool), strict: false },
      })),
    ],
  }),
  withoutCalls: (body) => ({ ...body, tool_choice: 'none' }),
  callsIn: (answer) =>
    objectsIn(answer.output).flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: String(item.call_id), name: String(item.name), arguments: String(item.arguments ?? '') }]
        : [],
    ),
  continued: (body, answer, outcomes) => ({
    ...body,
    input: [
      ...inputItems(body.input),
      ...objectsIn(answer.output),
      ...outcomes.map(({ call, text }) => ({ type: 'function_call_output', call_id: call.id, output: text })),
    ],
  }),
  finished: (answer, { tools, before, turns }) => ({
    ...answer,
    output: [...listItems(tools), ...before.map(callItem), ...turns.flatMap(itemsOf)],
  }),
};

const inputItems = (input: unknown): unknown[] =>
  Array.isArray(input) ? input : [{ role: 'user', content: input }];

/** Items of earlier answers as a model without MCP knows them: lists say nothing new, and calls were functions. */
function replayed(input: unknown, tools: readonly OfferedTool[]): unknown {
  if (!Array.isArray(input)) return input;
  return input.flatMap((item: JsonObject) => {
    if (!isOwnLabel(item?.server_label)) return [item];
    if (item.type !== 'mcp_call') return [];
    const known = tools.find(({ label, name }) => label === item.server_label && name === item.name);
    const call_id = String(item.id);
    return [
      { type: 'function_call', call_id, name: known?.functionName ?? item.name, arguments: item.arguments },
      { type: 'function_call_output', call_id, output: String(item.output ?? 'The tool failed.') },
    ];
  });
}

export const listItems = (tools: readonly OfferedTool[]): JsonObject[] =>
  [...new Set(tools.map(({ label }) => label))].map((label) => ({
    ...{ type: 'mcp_list_tools', id: `mcpl_${idOf(label)}`, server_label: label },
    tools: tools
      .filter((tool) => tool.label === label)
      .map((tool) => ({
        ...{ name: tool.name, ...descriptionOf(tool), input_schema: schemaOf(tool) },
        annotations: tool.definition.annotations ?? null,
      })),
  }));

const idOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '');

export const callItemId = (callId: string): string => `mcp_${idOf(callId)}`;

export const callItem = ({ call, tool, text, isError, approvalId }: ToolOutcome): JsonObject => ({
  ...{ type: 'mcp_call', id: callItemId(call.id), server_label: tool.label, name: tool.name },
  ...{ arguments: call.arguments, approval_request_id: approvalId },
  output: isError ? null : text,
  error: isError ? { type: 'mcp_tool_execution_error', content: [{ type: 'text', text }] } : null,
  status: isError ? 'failed' : 'completed',
});

export const requestItem = ({ id, call, tool }: ApprovalRequest): JsonObject => ({
  ...{ type: 'mcp_approval_request', id, server_label: tool.label },
  ...{ name: tool.name, arguments: call.arguments },
});

/** What a model says in one turn; calls of tools have become items of their own, and are functions no more. */
function itemsOf({ answer, outcomes, waiting, deferred }: ModelTurn): JsonObject[] {
  const items = new Map<string, JsonObject[]>([
    ...outcomes.map((outcome): [string, JsonObject[]] => [outcome.call.id, [callItem(outcome)]]),
    ...waiting.map((request): [string, JsonObject[]] => [request.call.id, [requestItem(request)]]),
    ...deferred.map(({ id }): [string, JsonObject[]] => [id, []]),
  ]);
  return objectsIn(answer.output).flatMap((item) =>
    item.type === 'function_call' ? (items.get(String(item.call_id)) ?? [item]) : [item],
  );
}
