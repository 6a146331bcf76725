import { performance } from 'node:perf_hooks';
import type { JsonObject } from '../../lib/json.ts';
import type { CallerAnswer } from '../exchange/answer.ts';
import { errorText, type RpcFailure, type RpcId, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { ExchangeGuards } from '../governance/guards.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { Era } from '../upstream/index.ts';
import type { KnownTask } from './tasks.ts';

/** How a request of a caller ended. `tool_error`: the tool itself says that it failed. */
export type CallStatus = 'success' | 'tool_error' | 'error' | 'denied' | 'cancelled' | 'timeout';

/** What is noted of a request for its log. */
export type CallFacts = {
  status: CallStatus;
  errorCode: number | null;
  errorMessage: string | null;
  httpStatus: number;
  upstreamStatus: number | null;
  /** Whether the server may have done what was asked: it was sent, and nothing says that it did not arrive. */
  isSent: boolean;
  /** Milliseconds that the server behind it took. */
  upstreamMs: number;
  eraUpstream: Era | null;
  /** What the request was about: the own name of a tool or prompt, or the address of a resource. */
  subject: string | null;
  definitionHash: string | null;
  /** What in the result does not fit the tool's schema; null where nobody has compared them. */
  outputProblem: string | null;
  progressCount: number;
  rounds: number;
  retried: 'session' | 'token' | 'none';
  sessionReinitialised: boolean;
  tokenRefreshed: boolean;
  /** Milliseconds until it was sent first; null where it was not. */
  queueMs: number | null;
  /** What refused it: `capability`, `limit` or `guardrail`, and null for nothing. */
  refusedBy: string | null;
  outputBytes: number;
  limits: string | null;
  refusal: string | null;
  guardrails: string | null;
  /** The answer as the caller got it; null where there was none. */
  text: string | null;
};

type Given = Pick<RelayCall, 'visit' | 'server' | 'id' | 'method' | 'params' | 'answer'> & {
  task?: KnownTask;
  /** The message as it came; null where it was one of several. */
  raw: Buffer | null;
  /**
   * Told once, when the answer stands: it goes out when what this answers resolves, or at once for null. Where guardrails look at
   * the answer afterwards, this is told when they have, and nothing waits for it.
   */
  onEnd(call: RelayCall): Promise<void> | null;
};

/** One request of a caller on its way: it is answered exactly once. */
export class RelayCall {
  readonly visit: McpVisit;
  readonly server: McpServerRecord;
  readonly id: RpcId;
  readonly method: string;
  readonly answer: CallerAnswer;
  readonly raw: Buffer | null;
  params: JsonObject;
  readonly facts: CallFacts;
  /** Null where the request is about none. */
  readonly task: KnownTask | null;
  /** Null where the call comes under none. */
  guards: ExchangeGuards | null = null;
  /** Headers with which the gateway has proved itself to the server, which an answer may quote. */
  credential: Readonly<Record<string, string>> = {};
  /** Counts what the call came to, before it is recorded. */
  onSettle: (() => void) | null = null;
  /** Ends what is under way upstream; `how`: the caller is gone, or has said that it does not want the answer. */
  onCancel: ((how: 'gone' | 'cancelled') => void) | null = null;
  readonly #onEnd: Given['onEnd'];
  #isOver = false;

  constructor({ visit, server, id, method, params, answer, raw, task, onEnd }: Given) {
    this.visit = visit;
    this.server = server;
    this.id = id;
    this.method = method;
    this.params = params;
    this.answer = answer;
    this.raw = raw;
    this.task = task ?? null;
    this.#onEnd = onEnd;
    this.facts = blankFacts();
    answer.onGone = () => this.cancel('gone');
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Milliseconds since the request came. */
  get elapsed(): number {
    return performance.now() - this.visit.startedAt;
  }

  succeed(result: JsonObject): void {
    this.relay(JSON.stringify({ jsonrpc: '2.0', id: this.id, result }), result.isError === true);
  }

  /** Answers with a text that was made already. */
  relay(text: string, isToolError: boolean): void {
    this.facts.status = isToolError ? 'tool_error' : 'success';
    this.#end(text, 200);
  }

  /** An error that a server has answered. */
  relayError(text: string, code: number, status = 200): void {
    this.facts.status = 'error';
    this.facts.errorCode = code;
    this.#end(text, status);
  }

  /** Refuses a call of a tool with a result, which a model can act on. */
  deny(result: JsonObject): void {
    this.facts.status = 'denied';
    this.#end(JSON.stringify({ jsonrpc: '2.0', id: this.id, result }), 200);
  }

  fail(failure: RpcFailure): void {
    const { facts } = this;
    facts.status = statusOf(failure, facts);
    facts.errorCode = failure.code;
    facts.errorMessage = failure.message;
    this.#end(errorText(failure, this.id), failure.status, failure.headers);
  }

  /** Ends a request whose answer nobody wants. */
  cancel(how: 'gone' | 'cancelled'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.facts.status = 'cancelled';
    this.facts.httpStatus = 499;
    this.onCancel?.(how);
    this.answer.leave();
    this.#ended();
  }

  #end(text: string, status: number, headers?: Readonly<Record<string, string>>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.facts.httpStatus = status;
    this.facts.text = text;
    this.facts.outputBytes = Buffer.byteLength(text);
    const answer = () => this.answer.end(text, status, headers);
    const kept = this.#ended();
    if (kept) void kept.then(answer);
    else answer();
  }

  #ended(): Promise<void> | null {
    this.onSettle?.();
    const { guards } = this;
    const noted = () => {
      if (guards) this.facts.guardrails = guards.logged;
      return this.#onEnd(this);
    };
    if (guards === null || guards.later.length === 0) return noted();
    void Promise.allSettled(guards.later).then(noted);
    return null;
  }
}

const denials: ReadonlySet<number> = new Set([
  rpc.unauthenticated,
  rpc.forbidden,
  rpc.notFound,
  rpc.rateLimited,
  rpc.guardrail,
]);

function statusOf({ code }: RpcFailure, { refusedBy }: CallFacts): CallStatus {
  if (code === rpc.timeout) return 'timeout';
  return refusedBy !== null || denials.has(code) ? 'denied' : 'error';
}

const blankFacts = (): CallFacts => ({
  status: 'error',
  errorCode: null,
  errorMessage: null,
  httpStatus: 200,
  upstreamStatus: null,
  isSent: false,
  upstreamMs: 0,
  eraUpstream: null,
  subject: null,
  definitionHash: null,
  outputProblem: null,
  progressCount: 0,
  rounds: 0,
  retried: 'none',
  sessionReinitialised: false,
  tokenRefreshed: false,
  queueMs: null,
  refusedBy: null,
  outputBytes: 0,
  limits: null,
  refusal: null,
  guardrails: null,
  text: null,
});
