import { performance } from 'node:perf_hooks';
import type { Trace } from '../../dataplane/call/trace.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { newSpanId } from '../../lib/trace-ids.ts';
import type { CallerAnswer } from '../exchange/answer.ts';
import type { McpCaller } from '../exchange/caller.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpRoute, McpVisit } from '../exchange/visit.ts';
import { type RecordDependencies, recordCall } from '../record/record-call.ts';
import { RelayCall } from '../relay/call.ts';
import type { McpRelay } from '../relay/relay.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { MODERN_VERSION, modernMeta } from '../upstream/index.ts';
import { resultText } from './result-text.ts';

export type CallToolDependencies = { relay: McpRelay; record: RecordDependencies };

/** On whose behalf a model calls tools. */
export type ToolUse = {
  caller: McpCaller;
  /** Path of the request that has a model called. */
  url: string;
  route: McpRoute;
  /** Each call is a span of its own below `parentSpanId`. */
  trace: Trace;
  metadata: Readonly<Record<string, string>>;
  /** Aborted when nobody wants the results any more. */
  signal: AbortSignal;
};

/** A call of a tool; `arguments` is JSON, as the model wrote it. */
export type AskedTool = { server: McpServerRecord; name: string; id: string; arguments: string };

export type ToolResult = { text: string; isError: boolean };

/** Takes the answer to a call that the gateway makes itself. */
class KeptAnswer implements CallerAnswer {
  onGone: (() => void) | null = null;
  onDrain: (() => void) | null = null;
  readonly streams = false;
  readonly isGone = false;
  readonly #settle: (text: string | null) => void;

  constructor(settle: (text: string | null) => void) {
    this.#settle = settle;
  }

  notify(): boolean {
    return true;
  }

  end(text: string): void {
    this.#settle(text);
  }

  leave(): void {
    this.#settle(null);
  }
}

/** Calls a tool for a model, as its caller would: with limits, guardrails and a row of the log. Never rejects for the tool's sake. */
export async function callTool(
  use: ToolUse,
  { server, name, id, arguments: text }: AskedTool,
  { relay, record }: CallToolDependencies,
): Promise<ToolResult> {
  const given = parsed(text);
  if (given === null) return { text: 'The arguments are no JSON object.', isError: true };
  const visit = visitOf(use);
  const message = await new Promise<string | null>((resolve, reject) => {
    const relayed = new RelayCall({
      ...{ visit, server, id, method: 'tools/call', raw: null },
      params: { name, arguments: given, _meta: modernMeta },
      answer: new KeptAnswer(resolve),
      onEnd: (ended) => recordCall(ended, record),
    });
    const giveUp = () => relayed.cancel('cancelled');
    const { signal } = use;
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    relay(relayed)
      .catch((error: unknown) => {
        const isOwn = error instanceof RpcFailure;
        relayed.fail(isOwn ? error : new RpcFailure(rpc.internal, 'Internal error', { cause: error }));
        if (!isOwn) reject(error);
      })
      .finally(() => signal.removeEventListener('abort', giveUp));
  });
  return message === null
    ? { text: 'The call was given up.', isError: true }
    : outcomeOf(JSON.parse(message));
}

function outcomeOf({ result, error }: JsonObject): ToolResult {
  if (isObject(error)) return { text: String(error.message), isError: true };
  if (!isObject(result)) return { text: 'The tool gave no result.', isError: true };
  if (result.resultType === 'input_required')
    return { text: 'The tool asks its user for something, which cannot be answered here.', isError: true };
  return { text: resultText(result), isError: result.isError === true };
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : null;
  } catch {
    // Models write arguments, and not always well.
    return null;
  }
}

const visitOf = ({ caller, url, route, trace, metadata }: ToolUse): McpVisit => ({
  ...{ caller, headers: caller.headers, url, resourceUrl: caller.base, metadata, route },
  trace: { ...trace, spanId: newSpanId() },
  ...{ startedAt: performance.now(), createdAt: new Date() },
  ...{ era: 'modern', version: MODERN_VERSION, session: null },
});
