import type { Call } from '../../dataplane/call/call.ts';
import type { ToolRunner, ToolsAnswer } from '../../dataplane/own-tools/runner.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';
import { baseUrlOf } from '../door/base-url.ts';
import { callerKey, callerWith, type McpCaller } from '../exchange/caller.ts';
import type { Approvals } from './approvals.ts';
import { type MakeCall, settle, withVerdicts } from './approved.ts';
import { type AskInProcess, askerOf, bytesOf, withoutLength } from './ask-model.ts';
import { type CallToolDependencies, callTool, type ToolUse } from './call-tool.ts';
import { type FindToolsDependencies, type FoundTool, findTools, requireRoom } from './find-tools.ts';
import { chatFormat } from './formats/chat.ts';
import type { ModelCall, ToolFormat, ToolOutcome } from './formats/format.ts';
import { messagesFormat } from './formats/messages.ts';
import { responsesFormat } from './formats/responses.ts';
import type { ResultsBeside } from './results-beside.ts';
import { ToolRounds } from './rounds.ts';
import { streamedAnswer } from './streamed-answer.ts';
import { withUsage } from './usage.ts';
import type { VerdictUses } from './verdict-uses.ts';
import { verdictsIn } from './verdicts.ts';

export type RunToolsDependencies = CallToolDependencies &
  FindToolsDependencies & {
    ask: AskInProcess;
    approvals: Approvals;
    usesIn(organisationId: string): VerdictUses;
    beside: ResultsBeside;
    /** Where the pages of the gateway are; null where the request says at which address it came in. */
    pagesUrl: string | null;
  };

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
    const base = dependencies.pagesUrl ?? baseUrlOf(null, call.request);
    const caller = callerWith(call.key, call.headers, base);
    const tools = await findTools(caller, format.wanted(value), dependencies);
    requireRoom(tools.length + (Array.isArray(value.tools) ? value.tools.length : 0));
    const make = maker(useOf(call, caller), dependencies);
    const isOwn = (name: string) => tools.some(({ functionName }) => functionName === name);
    const isChat = format === chatFormat;
    const whole = isChat ? await dependencies.beside.fill(caller, value, isOwn) : value;
    const { body, before } = await withApproved(whole, { caller, tools, make }, dependencies);
    const rounds = new ToolRounds({
      ...{ format, tools, before, make },
      sealRequest: sealing(callerKey(caller), tools, dependencies.approvals),
      keepBeside: async (outcomes) => {
        if (isChat) await dependencies.beside.keep(caller, outcomes);
      },
    });
    const offered = format.offered(body, tools);
    return value.stream === true
      ? streamedAnswer(call, { rounds, format, offered, asked: value }, dependencies.ask)
      : wholeAnswer(call, { rounds, format, offered }, dependencies.ask);
  };

async function wholeAnswer(
  call: Call,
  { rounds, format, offered }: { rounds: ToolRounds; format: ToolFormat; offered: JsonObject },
  askInProcess: AskInProcess,
): Promise<ToolsAnswer> {
  const ask = askerOf(call, askInProcess);
  let latest: ToolsAnswer | null = null;
  const last = await rounds.run(offered, async (body, round) => {
    const answer = await ask(body, round);
    const bytes = await bytesOf(answer);
    latest = { status: answer.status, headers: withoutLength(answer.headers), body: bytes };
    return answer.status < 300 ? parsedObject(bytes.toString('utf8')) : null;
  });
  const answer = latest as ToolsAnswer | null;
  if (answer === null) throw new Error('A model is asked at least once.');
  // An answer that is no success goes to the caller as it is.
  if (last === null) return answer;
  const { done } = rounds;
  const all = done.turns.map((turn) => turn.answer);
  const whole = format.finished(withUsage(last, all), done);
  return { ...answer, body: Buffer.from(JSON.stringify(whole)) };
}

const routes = { chatComplete: 'chat', createResponse: 'responses', messages: 'messages' } as const;

const useOf = ({ path, trace, metadata, route, disconnect }: Call, caller: McpCaller): ToolUse => ({
  ...{ caller, url: `/v1${path}`, metadata, signal: disconnect.signal },
  trace: { ...trace, parentSpanId: trace.spanId },
  route: routes[route.endpoint as keyof typeof routes],
});

const maker =
  (use: ToolUse, dependencies: CallToolDependencies): MakeCall =>
  ({ server, name }, { id, arguments: text }) =>
    callTool(use, { server, name, id, arguments: text }, dependencies);

type Asked = { caller: McpCaller; tools: readonly FoundTool[]; make: MakeCall };

/** The body with what became of the calls that it approves, or does not. */
async function withApproved(
  value: JsonObject,
  { caller, tools, make }: Asked,
  { approvals, usesIn }: Pick<RunToolsDependencies, 'approvals' | 'usesIn'>,
): Promise<{ body: JsonObject; before: ToolOutcome[] }> {
  if (!Array.isArray(value.input) || !value.input.some(isApproval)) return { body: value, before: [] };
  const verdicts = verdictsIn(value, callerKey(caller), approvals);
  const uses = usesIn(caller.key.principal.organisationId);
  const { settled, outcomes } = await settle(verdicts, tools, make, uses);
  const nameOf = (label: string, name: string) =>
    tools.find((tool) => tool.label === label && tool.name === name)?.functionName ?? name;
  return { body: { ...value, input: withVerdicts(value.input, settled, nameOf) }, before: outcomes };
}

const isApproval = (item: unknown): boolean =>
  isObject(item) && (item.type === 'mcp_approval_request' || item.type === 'mcp_approval_response');

const sealing =
  (caller: string, tools: readonly FoundTool[], approvals: Approvals) =>
  ({ label, name }: FoundTool, call: ModelCall, deferred: readonly ModelCall[]): string => {
    const others = deferred.flatMap((other) => {
      const tool = tools.find(({ functionName }) => functionName === other.name);
      return tool ? [{ label: tool.label, name: tool.name, call: other }] : [];
    });
    return approvals.seal({ caller, label, name, call, deferred: others });
  };
