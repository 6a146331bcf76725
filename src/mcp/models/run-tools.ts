import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../../dataplane/call/call.ts';
import type { InProcessAnswer, InProcessCall } from '../../dataplane/in-process.ts';
import type { ToolRunner, ToolsAnswer } from '../../dataplane/own-tools/runner.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { baseUrlOf } from '../door/base-url.ts';
import { callerWith, type McpCaller } from '../exchange/caller.ts';
import { type CallToolDependencies, callTool, type ToolUse } from './call-tool.ts';
import { type FindToolsDependencies, type FoundTool, findTools, requireRoom } from './find-tools.ts';
import { chatFormat } from './formats/chat.ts';
import { type ModelCall, refused, type ToolFormat, type ToolOutcome } from './formats/format.ts';
import { messagesFormat } from './formats/messages.ts';
import { responsesFormat } from './formats/responses.ts';
import { withUsage } from './usage.ts';

export type RunToolsDependencies = CallToolDependencies &
  FindToolsDependencies & {
    /** Has the data plane answer a call of this process. */
    ask(call: InProcessCall, signal: AbortSignal): Promise<InProcessAnswer>;
    /** Where the pages of the gateway are; null where the request says at which address it came in. */
    pagesUrl: string | null;
  };

/** Rounds in which a model may call tools; after them it has to say its last word. */
const MAX_ROUNDS = 10;
const AT_A_TIME = 8;

const formats: Readonly<Record<string, ToolFormat>> = {
  chatComplete: chatFormat,
  createResponse: responsesFormat,
  messages: messagesFormat,
};

/** Runs tools of MCP servers for models. Each round is a call of its own, with its own log, limits and price. */
export const createToolRunner =
  (dependencies: RunToolsDependencies): ToolRunner =>
  async (call) => {
    const format = formats[call.route.endpoint];
    if (!format || call.body.kind !== 'json') throw new Error('Nothing here has tools.');
    const { value } = call.body;
    if (value.stream === true)
      throw refused('stream', 'stream must be false where the gateway runs tools of MCP servers.');
    const base = dependencies.pagesUrl ?? baseUrlOf(null, call.request);
    const caller = callerWith(call.key, call.headers, base);
    const tools = await findTools(caller, format.wanted(value), dependencies);
    requireRoom(tools.length + (Array.isArray(value.tools) ? value.tools.length : 0));
    return new Rounds(call, { format, tools, use: useOf(call, caller) }, dependencies).run(
      format.offered(value, tools),
    );
  };

const routes = { chatComplete: 'chat', createResponse: 'responses', messages: 'messages' } as const;

const useOf = ({ path, trace, metadata, route, disconnect }: Call, caller: McpCaller): ToolUse => ({
  ...{ caller, url: `/v1${path}`, metadata, signal: disconnect.signal },
  trace: { ...trace, parentSpanId: trace.spanId },
  route: routes[route.endpoint as keyof typeof routes],
});

type Given = { format: ToolFormat; tools: readonly FoundTool[]; use: ToolUse };

class Rounds {
  readonly #call: Call;
  readonly #given: Given;
  readonly #dependencies: RunToolsDependencies;
  readonly #outcomes: ToolOutcome[] = [];
  readonly #answers: JsonObject[] = [];

  constructor(call: Call, given: Given, dependencies: RunToolsDependencies) {
    this.#call = call;
    this.#given = given;
    this.#dependencies = dependencies;
  }

  async run(body: JsonObject): Promise<ToolsAnswer> {
    const { format } = this.#given;
    let asked = body;
    for (let round = 0; ; round++) {
      const isLast = round === MAX_ROUNDS;
      const { answer, value } = await this.#ask(isLast ? format.withoutCalls(asked) : asked, round);
      if (value === null) return answer;
      this.#answers.push(value);
      const calls = format.callsIn(value);
      const own = calls.filter(({ name }) => this.#toolOf(name) !== undefined);
      if (own.length === 0 || isLast) return this.#finished(answer, value);
      const outcomes = await this.#callAll(own);
      this.#outcomes.push(...outcomes);
      // Functions of the caller are the caller's to answer.
      if (own.length < calls.length) return this.#finished(answer, value);
      asked = format.continued(asked, value, outcomes);
    }
  }

  #toolOf = (functionName: string): FoundTool | undefined =>
    this.#given.tools.find((tool) => tool.functionName === functionName);

  #finished(answer: ToolsAnswer, value: JsonObject): ToolsAnswer {
    const { format, tools } = this.#given;
    const whole = format.finished(withUsage(value, this.#answers), { tools, outcomes: this.#outcomes });
    return { ...answer, body: Buffer.from(JSON.stringify(whole)) };
  }

  /** `value` is null for an answer that is no success: it goes to the caller as it is. */
  async #ask(body: JsonObject, round: number): Promise<{ answer: ToolsAnswer; value: JsonObject | null }> {
    const { path, disconnect } = this.#call;
    const {
      status,
      headers,
      body: pieces,
    } = await this.#dependencies.ask(
      // The rates of calls have counted the first round when the caller's request came.
      { headers: this.#headers(), path, body: Buffer.from(JSON.stringify(body)), isCounted: round === 0 },
      disconnect.signal,
    );
    const chunks: Buffer[] = [];
    for await (const piece of pieces) chunks.push(piece);
    const bytes = Buffer.concat(chunks);
    const answer = { status, headers: withoutLength(headers), body: bytes };
    const value: unknown = status < 300 ? JSON.parse(bytes.toString('utf8')) : null;
    return { answer, value: isObject(value) ? value : null };
  }

  #headers(): IncomingHttpHeaders {
    const { headers, trace } = this.#call;
    const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name));
    return {
      ...Object.fromEntries(kept),
      ...{ 'x-gateway-trace-id': trace.traceId, 'x-gateway-parent-span-id': trace.spanId },
    };
  }

  async #callAll(calls: readonly ModelCall[]): Promise<ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (let at = 0; at < calls.length; at += AT_A_TIME) {
      const some = calls.slice(at, at + AT_A_TIME);
      outcomes.push(...(await Promise.all(some.map((one) => this.#callOne(one)))));
    }
    return outcomes;
  }

  async #callOne(call: ModelCall): Promise<ToolOutcome> {
    const tool = this.#toolOf(call.name);
    if (!tool) throw new Error('Only tools that were offered are called.');
    const { server, name } = tool;
    const asked = { server, name, id: call.id, arguments: call.arguments };
    return { call, tool, ...(await callTool(this.#given.use, asked, this.#dependencies)) };
  }
}

/** Headers that are about one connection, or one request alone. */
const OF_CONNECTION =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|transfer-encoding|accept-encoding|content-.*|x-gateway-span-id|x-gateway-parent-span-id|x-gateway-trace-id|proxy-.*)$/;

const withoutLength = ({
  'content-length': _length,
  'transfer-encoding': _encoding,
  connection: _connection,
  ...headers
}: InProcessAnswer['headers']): InProcessAnswer['headers'] => headers;
