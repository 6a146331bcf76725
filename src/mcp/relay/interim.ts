import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { rpc } from '../exchange/failure.ts';
import type { ExchangeGuards } from '../governance/guards.ts';
import { passedMessage } from '../governance/message-guards.ts';
import { ask } from '../lines/ask.ts';
import { mayAsk, shownCapabilities } from '../lines/features.ts';
import type { ServerLine } from '../lines/lines.ts';
import { timeoutsOf } from '../lines/timeouts.ts';
import type { UpstreamWire } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';
import { relabelled } from './tasks.ts';

/** `mark`: the id of its event for the caller; absent where the stream cannot be taken up again. */
type Message = { value: JsonObject; text: string; mark?: string | undefined };
/** Where answers to the server go: the headers are those of the request on whose stream it spoke. */
type Way = { line: ServerLine; headers: Readonly<Record<string, string>> };

/** What a server sends before its answer. */
export type Interim = {
  /** `false` asks to pause until the caller's connection has room. */
  take(call: RelayCall, message: Message, way: Way): boolean;
  /** Tells the server that its answer is not wanted, in the way of its era. */
  cancelled(call: RelayCall, how: 'gone' | 'cancelled', way: Way): void;
  timedOut(call: RelayCall, way: Way): void;
};

/** `readAgain`: has the server behind an integration read again, which says that it has changed. */
export function createInterim(wire: UpstreamWire, readAgain: (id: string) => void, log: Logger): Interim {
  /** Sends a message that has no answer; nobody waits for it. */
  function tell(call: RelayCall, message: JsonObject, { headers }: Way): void {
    const { server } = call;
    void ask(
      { method: 'POST', url: server.upstream.url, headers, body: JSON.stringify(message) },
      { wire, ...timeoutsOf(server, undefined), isAnswer: () => false },
    ).then(({ status }) => {
      if (status === 0) log.debug({ mcpServer: server.id }, 'An MCP server could not be told something.');
    });
  }

  function cancel(call: RelayCall, reason: string, way: Way): void {
    // In the modern era the end of the stream says it.
    if (way.line.era === 'modern') return;
    const params = { requestId: call.id, reason };
    tell(call, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, way);
  }

  function request(call: RelayCall, { value, text, mark }: Message, way: Way): boolean {
    const { visit, server, answer } = call;
    const reply = (more: JsonObject) => tell(call, { jsonrpc: '2.0', id: value.id, ...more }, way);
    if (value.method === 'ping') {
      reply({ result: {} });
      return true;
    }
    const isMirrored = visit.era === 'legacy' && visit.session !== null && way.line.session?.id != null;
    const shown = shownCapabilities(visit.session?.capabilities ?? {}, server.upstream.configurations);
    if (isMirrored && answer.streams && mayAsk(value.method, value.params, shown)) {
      if (!call.guards?.seesAnswers) return answer.notify(text, mark);
      void guarded(call, value, call.guards).then(
        (passed) => {
          if (passed) answer.notify(JSON.stringify(passed), mark);
          else reply({ error: { code: rpc.guardrail, message: 'Refused by a guardrail.' } });
        },
        (error: unknown) => {
          log.error({ error, mcpServer: server.id }, 'The guardrails on a question of an MCP server failed.');
          reply({ error: { code: rpc.internal, message: 'Internal error' } });
        },
      );
      return true;
    }
    reply({ error: { code: rpc.methodNotFound, message: 'Method not found' } });
    return true;
  }

  return {
    take(call, given, way) {
      const message = aboutTask(call, given);
      const { value, text, mark } = message;
      if (typeof value.method !== 'string' || !isOwnTask(call, value)) return true;
      if (value.id !== undefined) return request(call, message, way);
      if (value.method.endsWith('/list_changed')) {
        // Changes of lists are told by the gateway, once it has read them.
        readAgain(call.server.upstream.id);
        return true;
      }
      if (!isPassed(call, value.method)) return true;
      if (value.method === 'notifications/progress') {
        call.facts.progressCount++;
        const { params } = value;
        if (call.guards?.seesAnswers && isObject(params) && 'message' in params) {
          const { message: _said, ...rest } = params;
          return call.answer.notify(JSON.stringify({ ...value, params: rest }), mark);
        }
      }
      return call.answer.notify(text, mark);
    },
    cancelled(call, how, way) {
      // A caller of the older era that is gone has not said that it gives up its request.
      if (how === 'cancelled' || call.visit.era === 'modern')
        cancel(call, 'The caller does not wait any more.', way);
    },
    timedOut: (call, way) => cancel(call, 'The gateway does not wait any more.', way),
  };
}

/** A message about the task of a call, with the id by which its caller knows the task. */
function aboutTask({ task }: RelayCall, message: Message): Message {
  const { value } = message;
  if (task === null || !isObject(value.params)) return message;
  const params = relabelled(value.params, task);
  if (params === value.params) return message;
  const shown = { ...value, params };
  return { ...message, value: shown, text: JSON.stringify(shown) };
}

/** Of other tasks than the one that a call is about, nobody knows here whose they are. */
const isOwnTask = ({ task }: RelayCall, { method, params }: JsonObject): boolean =>
  method !== 'notifications/tasks/status' ||
  (task !== null && isObject(params) && params.taskId === task.shown);

const guarded = (call: RelayCall, value: JsonObject, guards: ExchangeGuards): Promise<JsonObject | null> => {
  const { visit, server, facts, isOver } = call;
  return passedMessage('output', value, {
    guards,
    exchange: { visit, server, subject: facts.subject, isOver },
  });
};

/** Whether a notice goes on to the caller. */
function isPassed({ server, guards }: RelayCall, method: string): boolean {
  if (method !== 'notifications/message') return true;
  return !guards?.seesAnswers && server.upstream.configurations.client_features?.logging !== false;
}
