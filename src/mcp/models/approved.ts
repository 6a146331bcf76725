import type { JsonObject } from '../../lib/json.ts';
import type { PendingCall } from './approvals.ts';
import type { FoundTool } from './find-tools.ts';
import type { ModelCall, ToolOutcome } from './formats/format.ts';
import type { CallResult, VerdictUses } from './verdict-uses.ts';
import { isOwnId, type Verdict } from './verdicts.ts';

/** What came of a verdict: `outcomes` of the call itself, and behind it of those that waited with it. */
export type SettledVerdict = Verdict & { outcomes: { call: ModelCall; text: string }[] };

export type MakeCall = (tool: FoundTool, call: ModelCall) => Promise<{ text: string; isError: boolean }>;

/**
 * Makes the calls that were approved; of those that were not, the model is told. A verdict that comes again has what came of it the
 * first time. Throws a GatewayError for one that was used elsewhere.
 */
export async function settle(
  verdicts: readonly Verdict[],
  tools: readonly FoundTool[],
  make: MakeCall,
  uses: VerdictUses,
): Promise<{ settled: SettledVerdict[]; outcomes: ToolOutcome[] }> {
  const settled: SettledVerdict[] = [];
  const outcomes: ToolOutcome[] = [];
  const toolOf = ({ label, name }: Waiting) =>
    tools.find((tool) => tool.label === label && tool.name === name);
  const known = await uses.take(verdicts);
  for (const verdict of verdicts) {
    const calls = callsOf(verdict.pending);
    let results = known.get(verdict.uuid);
    if (!results) {
      results = await resultsOf(verdict, (waiting) => {
        const tool = toolOf(waiting);
        return tool ? make(tool, waiting.call) : null;
      });
      await uses.keep(verdict, results);
    }
    const told = calls.map((waiting, at) => {
      const { call } = waiting;
      const { text, isError, isMade } = results[at] ?? UNKNOWN;
      if (!isMade) return { call, text };
      const tool = toolOf(waiting);
      // Whoever has lost the access since then does not get the result again.
      if (!tool) return { call, text: GONE };
      // Also of one that needed none: by this id it is known as made when the items come back.
      outcomes.push({ call, tool, text, isError, approvalId: verdict.id });
      return { call, text };
    });
    settled.push({ ...verdict, outcomes: told });
  }
  return { settled, outcomes };
}

type Waiting = PendingCall['deferred'][number];

/** The call itself, and behind it those that wait with it. */
const callsOf = ({ label, name, call, deferred }: PendingCall): Waiting[] => [
  { label, name, call },
  ...deferred,
];

const GONE = 'The tool is not available any more.';
const UNKNOWN: CallResult = {
  text: 'It is not known whether the call was made.',
  isError: true,
  isMade: false,
};

const resultsOf = (
  { pending, isApproved, reason, isOver }: Verdict,
  make: (waiting: Waiting) => ReturnType<MakeCall> | null,
): Promise<CallResult[]> =>
  Promise.all(
    callsOf(pending).map(async (waiting, at) => {
      if (at === 0 && !isApproved) return { text: refusalText(reason), isError: false, isMade: false };
      if (isOver) return UNKNOWN;
      const result = await make(waiting);
      return result ? { ...result, isMade: true } : { text: GONE, isError: true, isMade: false };
    }),
  );

const refusalText = (reason: string | null): string =>
  `The user did not approve the call${reason === null ? '.' : `: ${reason}`}`;

/**
 * The input with what became of approvals, in the words of functions. Where the request for one stands in a response that is kept
 * elsewhere, the call of its function stands there too.
 */
export function withVerdicts(
  input: unknown,
  settled: readonly SettledVerdict[],
  nameOf: (label: string, name: string) => string,
): unknown {
  if (!Array.isArray(input)) return input;
  const byId = new Map<unknown, SettledVerdict>(settled.map((one) => [one.id, one]));
  const told = new Set<unknown>();
  return input.flatMap((item: JsonObject) => {
    if (item?.type === 'mcp_approval_request' && isOwnId(item.id)) return calledBy(byId.get(item.id), nameOf);
    if (item?.type !== 'mcp_approval_response' || !isOwnId(item.approval_request_id)) return [item];
    const { id, outcomes = [] } = byId.get(item.approval_request_id) ?? {};
    // A verdict that the input repeats has come to one call.
    if (told.has(id)) return [];
    told.add(id);
    return outcomes.map(({ call, text }) => ({
      ...{ type: 'function_call_output', call_id: call.id, output: text },
    }));
  });
}

function calledBy(
  settled: SettledVerdict | undefined,
  nameOf: (label: string, name: string) => string,
): JsonObject[] {
  if (!settled) return [];
  return callsOf(settled.pending).map(({ label, name, call }) => ({
    ...{ type: 'function_call', call_id: call.id, name: nameOf(label, name), arguments: call.arguments },
  }));
}
