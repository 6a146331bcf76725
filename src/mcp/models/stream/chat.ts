import { formatEvent, type ServerSentEvent } from '../../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../../lib/json.ts';
import { objectsIn } from '../formats/format.ts';
import { assembled, type StreamWeaver, type WeaverGiven } from './weaver.ts';

const DONE = '[DONE]';

/** Chat completions: what a model says goes on at once, and its calls of the gateway's tools only where the caller is to see them. */
export function chatWeaver({ toolOf }: WeaverGiven): StreamWeaver {
  let events: ServerSentEvent[] = [];
  let head: JsonObject | null = null;
  let held: JsonObject[] = [];
  let ending: JsonObject = { index: 0, finish_reason: 'stop' };
  let hasUsage = false;
  let hasRole = false;
  /** By the index of a call: whether the gateway makes it. */
  let own = new Map<unknown, boolean>();

  const chunk = (members: JsonObject) => formatEvent(null, JSON.stringify({ ...head, ...members }));

  function isHeld({ index, function: called }: JsonObject): boolean {
    if (isObject(called) && typeof called.name === 'string' && called.name !== '')
      own.set(index, toolOf(called.name) !== undefined);
    return own.get(index) === true;
  }

  function passing(choice: JsonObject): JsonObject[] {
    if (choice.index !== 0) return [choice];
    const { delta, finish_reason: finish, ...rest } = choice;
    const { tool_calls: calls, role, ...said } = isObject(delta) ? delta : {};
    if (finish != null) ending = { ...rest, finish_reason: finish };
    const theirs = objectsIn(calls).filter((call) => {
      const isOwn = isHeld(call);
      if (isOwn) held.push(call);
      return !isOwn;
    });
    const isNews = Object.values(said).some((value) => value !== null && value !== '');
    if (!isNews && theirs.length === 0 && (role === undefined || hasRole)) return [];
    const isFirst = role !== undefined && !hasRole;
    hasRole ||= isFirst;
    const passed = { ...(isFirst && { role }), ...said, ...(theirs.length > 0 && { tool_calls: theirs }) };
    return [{ ...rest, delta: passed, finish_reason: null }];
  }

  return {
    begin() {
      events = [];
      held = [];
      own = new Map();
    },
    take(event) {
      events.push(event);
      if (event.data === DONE) return '';
      const payload = parsedObject(event.data);
      if (payload === null || payload.error !== undefined) return formatEvent(event.name, event.data);
      const { choices, usage, ...rest } = payload;
      head ??= rest;
      hasUsage ||= isObject(usage);
      const passed = objectsIn(choices).flatMap(passing);
      return passed.length === 0 ? '' : chunk({ choices: passed });
    },
    begun: () => '',
    made: () => '',
    told: () => assembled('chatComplete', events),
    end({ usage, gateway_tool_messages: messages }) {
      const calls = held.map((call) =>
        chunk({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }),
      );
      const last = {
        choices: [{ ...ending, delta: {} }],
        ...(messages !== undefined && { gateway_tool_messages: messages }),
      };
      const counts = hasUsage ? [chunk({ choices: [], usage })] : [];
      return [...calls, chunk(last), ...counts, formatEvent(null, DONE)].join('');
    },
  };
}
