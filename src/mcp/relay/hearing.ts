import { isObject } from '../../lib/json.ts';
import type { AskedServer, AskOptions } from '../lines/ask.ts';
import type { ServerLine } from '../lines/lines.ts';
import { timeoutsOf } from '../lines/timeouts.ts';
import type { EventSeal } from '../session/index.ts';
import type { UpstreamWire } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';
import type { UpstreamReply } from './call-upstream.ts';
import type { Interim } from './interim.ts';

export type HearingDependencies = { wire: UpstreamWire; interim: Interim; events: EventSeal };

/** Over what a call goes to its server; `headers`: of each message of it. */
export type CallWay = { line: ServerLine; headers: Readonly<Record<string, string>> };

/** What is done with what a server says until it has answered a call. */
export function hearing(
  call: RelayCall,
  way: CallWay,
  { wire, interim, events }: HearingDependencies,
): AskOptions {
  const { visit, server, id, answer } = call;
  const markOf = eventMarks(call, way.line, events);
  const { idleMs, totalMs, connectMs } = timeoutsOf(server, visit.headers);
  return {
    wire,
    idleMs,
    totalMs,
    connectMs,
    isAnswer: (value) => value.id === id && value.method === undefined,
    onMessage: (value, text, eventId) =>
      interim.take(call, { value, text, mark: eventId === null ? undefined : markOf?.(eventId) }, way),
    onPrimed(eventId, retryMs) {
      const mark = markOf?.(eventId);
      if (mark !== undefined && visit.version >= WITH_PRIMING) answer.prime?.(mark, retryMs);
    },
    hold({ cancel, resume }) {
      answer.onDrain = resume;
      call.onCancel = (how) => {
        interim.cancelled(call, how, way);
        cancel();
      };
      if (call.isOver) cancel();
    },
  };
}

/** Callers of older revisions take an event without data for a broken message. */
const WITH_PRIMING = '2025-11-25';

/** Makes ids for the events of a call, by which its caller can take up the stream; null where nobody could. */
function eventMarks(
  { visit: { session }, id, method, params }: RelayCall,
  { session: upstream, isOwn }: ServerLine,
  events: EventSeal,
): ((eventId: string) => string) | null {
  const subject = params.name ?? params.uri;
  if (session === null || isOwn || upstream?.id == null || typeof subject !== 'string') return null;
  const request = { id, method, subject };
  return (event) => events.seal({ session: session.uuid, event, request });
}

/** The answer in what a server said; null where it is none. */
export function replyIn({ response }: AskedServer, line: ServerLine): UpstreamReply | null {
  if (response === null) return null;
  const { value, text } = response;
  if (isObject(value.result)) return { result: value.result, error: null, text, line };
  const { error } = value;
  if (!isObject(error) || typeof error.code !== 'number') return null;
  const message = typeof error.message === 'string' ? error.message : '';
  const data = error.data === undefined ? {} : { data: error.data };
  return { result: null, error: { code: error.code, message, ...data }, text, line };
}
