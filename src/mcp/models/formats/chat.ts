import { isOwnLabel, OWN_LABEL } from '../../../dataplane/own-tools/asks-own-tools.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { descriptionOf, objectsIn, schemaOf, type ToolFormat } from './format.ts';
import { wantedIn } from './wanted.ts';

const messageOf = (answer: JsonObject): JsonObject => {
  const [choice] = objectsIn(answer.choices);
  return isObject(choice?.message) ? choice.message : {};
};

/** Chat completions. */
export const chatFormat: ToolFormat = {
  wanted: (body) => wantedIn(body, OWN_LABEL, { asks: false }),
  offered: (body, tools) => ({
    ...body,
    tools: [
      ...objectsIn(body.tools).filter((tool) => !isOwnLabel(tool.server_label)),
      ...tools.map((tool) => ({
        type: 'function',
        function: { name: tool.functionName, ...descriptionOf(tool), parameters: schemaOf(tool) },
      })),
    ],
  }),
  withoutCalls: (body) => ({ ...body, tool_choice: 'none' }),
  callsIn: (answer) =>
    objectsIn(messageOf(answer).tool_calls).flatMap(({ id, function: called }) =>
      isObject(called)
        ? [{ id: String(id), name: String(called.name), arguments: String(called.arguments ?? '') }]
        : [],
    ),
  continued: (body, answer, outcomes) => ({
    ...body,
    messages: [
      ...objectsIn(body.messages),
      messageOf(answer),
      ...outcomes.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
    ],
  }),
  finished(answer, { turns }) {
    const beside = turns.at(-1)?.outcomes ?? [];
    if (beside.length === 0) return answer;
    // The caller sends them back beside the results of its own functions.
    const gateway_tool_messages = beside.map(({ call, text }) => ({
      ...{ role: 'tool', tool_call_id: call.id, content: text },
    }));
    return { ...answer, gateway_tool_messages };
  },
};
