import { isOwnLabel, OWN_LABEL } from '../../../dataplane/own-tools/asks-own-tools.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { askNobody } from './approval-rule.ts';
import {
  type AllowedTools,
  allowedTools,
  descriptionOf,
  type ModelTurn,
  objectsIn,
  schemaOf,
  type ToolFormat,
  type ToolOutcome,
} from './format.ts';

/** Messages, as Anthropic has them: servers stand in a list of their own. */
export const messagesFormat: ToolFormat = {
  wanted: (body) =>
    objectsIn(body.mcp_servers).flatMap((server) => {
      const { name: label } = server;
      if (!isOwnLabel(label)) return [];
      const slug = label.slice(OWN_LABEL.length);
      return [{ label, slug, allowed: allowedOf(body, server), asks: askNobody, canAsk: false }];
    }),
  offered(body, tools) {
    const { mcp_servers: servers, ...rest } = body;
    const others = objectsIn(servers).filter(({ name }) => !isOwnLabel(name));
    return {
      ...rest,
      ...(others.length > 0 && { mcp_servers: others }),
      messages: objectsIn(body.messages).flatMap(replayed),
      tools: [
        ...objectsIn(body.tools).filter(({ mcp_server_name: name }) => !isOwnLabel(name)),
        ...tools.map((tool) => ({
          ...{ name: tool.functionName, ...descriptionOf(tool), input_schema: schemaOf(tool) },
        })),
      ],
    };
  },
  withoutCalls: (body) => ({ ...body, tool_choice: { type: 'none' } }),
  callsIn: (answer) =>
    objectsIn(answer.content).flatMap(({ type, id, name, input }) =>
      type === 'tool_use'
        ? [{ id: String(id), name: String(name), arguments: JSON.stringify(input ?? {}) }]
        : [],
    ),
  continued: (body, { content }, outcomes) => ({
    ...body,
    messages: [
      ...objectsIn(body.messages),
      { role: 'assistant', content },
      {
        role: 'user',
        content: outcomes.map(({ call, text, isError }) => ({
          ...{ type: 'tool_result', tool_use_id: call.id, content: text, is_error: isError },
        })),
      },
    ],
  }),
  finished: (answer, { turns }) => ({ ...answer, content: turns.flatMap(blocksOf) }),
};

/** What a model says in one turn, and behind it what the tools said that it called. */
function blocksOf({ answer, outcomes }: ModelTurn): JsonObject[] {
  const made = new Map(outcomes.map((outcome) => [outcome.call.id, outcome]));
  const said = objectsIn(answer.content).map((block) => {
    const outcome = block.type === 'tool_use' ? made.get(String(block.id)) : undefined;
    return outcome ? useBlock(outcome, block.input ?? {}) : block;
  });
  return [...said, ...outcomes.map(resultBlock)];
}

export const useBlock = (
  { call, tool }: { call: { id: string }; tool: { name: string; label: string } },
  input: unknown,
): JsonObject => ({
  ...{ type: 'mcp_tool_use', id: call.id, name: tool.name, server_name: tool.label },
  input,
});

export const resultBlock = ({ call, text, isError }: ToolOutcome): JsonObject => ({
  ...{ type: 'mcp_tool_result', tool_use_id: call.id, is_error: isError },
  content: [{ type: 'text', text }],
});

/** By the set of tools that names the server, and by the server's own settings, which came before. */
function allowedOf({ tools }: JsonObject, { name, tool_configuration: own }: JsonObject): AllowedTools {
  if (isObject(own)) return allowedTools(own.allowed_tools, 'mcp_servers.tool_configuration.allowed_tools');
  const set = objectsIn(tools).find(({ mcp_server_name: named }) => named === name);
  const usual = isObject(set?.default_config) ? set.default_config.enabled : undefined;
  const configs = Object.entries(isObject(set?.configs) ? set.configs : {});
  if (usual !== false) return { names: null, readOnly: false };
  const enabled = configs.filter(([, config]) => isObject(config) && config.enabled === true);
  return { names: new Set(enabled.map(([tool]) => tool)), readOnly: false };
}

/** A message of an earlier answer as a model without MCP knows it: what tools were asked and said is told in words. */
function replayed(message: JsonObject): JsonObject[] {
  if (!Array.isArray(message.content)) return [message];
  const content = objectsIn(message.content).flatMap((block) => {
    if (block.type === 'mcp_tool_use' && isOwnLabel(block.server_name))
      return [{ type: 'text', text: `[${block.name} was called with ${JSON.stringify(block.input)}]` }];
    if (block.type !== 'mcp_tool_result') return [block];
    const said = objectsIn(block.content).map(({ text }) => text);
    return [{ type: 'text', text: `[It answered: ${said.join('\n')}]` }];
  });
  return [{ ...message, content }];
}
