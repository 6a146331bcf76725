import { formatEvent } from '../../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../../lib/json.ts';
import type { ModelCall, OfferedTool, ToolOutcome } from '../formats/format.ts';
import { callItem, callItemId, listItems, requestItem } from '../formats/responses.ts';
import type { StreamWeaver, WeaverGiven } from './weaver.ts';

/** Events with which a response begins: those of later rounds say nothing new. */
const openings: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);
const endings: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

/** The Responses API: the items of all rounds are those of one response, with the lists of tools in front. */
export function responsesWeaver({ toolOf, done, asked }: WeaverGiven): StreamWeaver {
  let sequence = 0;
  let count = 0;
  let hasLists = false;
  let last: { type: string; response: JsonObject } | null = null;
  /** Of the first round: a stream tells of one response. */
  let id: unknown;
  /** Where an item of the round stands in the whole output, by its place in the round's; null for a call that the gateway makes. */
  let places = new Map<unknown, number | null>();
  /** Where calls of tools stand that are under way. */
  const calls = new Map<string, number>();

  const event = (type: string, members: JsonObject): string =>
    formatEvent(type, JSON.stringify({ ...members, type, sequence_number: sequence++ }));

  const added = (output_index: number, item: JsonObject) =>
    event('response.output_item.added', { output_index, item });
  const finished = (output_index: number, item: JsonObject) =>
    event('response.output_item.done', { output_index, item });

  /** An item that is there at once. `steps`: what is told of it between its beginning and its end. */
  function whole(item: JsonObject, steps: readonly string[] = []): string {
    const output_index = count++;
    const beginning = added(output_index, item);
    const told = steps.map((type) => event(type, { output_index, item_id: item.id }));
    return [beginning, ...told, finished(output_index, item)].join('');
  }

  function lists(): string {
    if (hasLists) return '';
    hasLists = true;
    const { tools, before } = done();
    const steps = ['response.mcp_list_tools.in_progress', 'response.mcp_list_tools.completed'];
    return [
      ...listItems(tools).map((item) => whole(item, steps)),
      ...before.map((outcome) => begun(outcome.call, outcome.tool, outcome.approvalId) + made(outcome)),
    ].join('');
  }

  function begun(call: ModelCall, tool: OfferedTool, approvalId: string | null = null): string {
    const output_index = count++;
    calls.set(call.id, output_index);
    const at = { output_index, item_id: callItemId(call.id) };
    const item = callItem({ call, tool, text: '', isError: false, approvalId });
    const open = { ...item, arguments: '', output: null, status: 'in_progress' };
    return [
      added(output_index, open),
      event('response.mcp_call_arguments.delta', { ...at, delta: call.arguments }),
      event('response.mcp_call_arguments.done', { ...at, arguments: call.arguments }),
      event('response.mcp_call.in_progress', at),
    ].join('');
  }

  function made(outcome: ToolOutcome): string {
    const item = callItem(outcome);
    const output_index = calls.get(outcome.call.id) ?? count++;
    const how = outcome.isError ? 'failed' : 'completed';
    return (
      event(`response.mcp_call.${how}`, { output_index, item_id: item.id }) + finished(output_index, item)
    );
  }

  /** An event about an item of the round. */
  function ofItem(type: string, payload: JsonObject): string {
    const { output_index: at, item } = payload;
    if (!places.has(at)) {
      const isCall = isObject(item) && item.type === 'function_call';
      places.set(at, isCall && toolOf(String(item.name)) ? null : count++);
    }
    const output_index = places.get(at);
    return output_index === null ? '' : event(type, { ...payload, output_index });
  }

  return {
    begin() {
      places = new Map();
      last = null;
    },
    take({ name, data }) {
      const payload = parsedObject(data);
      const type = String(payload?.type ?? name);
      if (payload === null || type === 'error') return formatEvent(name, data);
      const { response } = payload;
      if (openings.has(type)) {
        const shown = isObject(response) ? { ...response, tools: asked.tools } : response;
        if (isObject(response)) id ??= response.id;
        return hasLists ? '' : event(type, { ...payload, response: shown });
      }
      const front = lists();
      if (endings.has(type) && isObject(response)) {
        last = { type, response };
        return front;
      }
      return front + ('output_index' in payload ? ofItem(type, payload) : event(type, payload));
    },
    begun,
    made,
    told: () => last?.response ?? null,
    end(answer) {
      const { waiting = [] } = done().turns.at(-1) ?? {};
      const requests = waiting.map((request) => whole(requestItem(request)));
      const type = last?.type ?? 'response.completed';
      return [
        ...requests,
        event(type, { response: { ...answer, id: id ?? answer.id, tools: asked.tools } }),
      ].join('');
    },
  };
}
