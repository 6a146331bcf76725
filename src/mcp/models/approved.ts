import type { JsonObject } from '../../lib/json.ts';
import { APPROVAL_PREFIX, type Approvals, type PendingCall } from './approvals.ts';
import type { FoundTool } from './find-tools.ts';
import { type ModelCall, objectsIn, refused, type ToolOutcome } from './formats/format.ts';

/** What a request says about a call that waits: that it may be made, or not. */
export type Verdict = { id: string; pending: PendingCall; isApproved: boolean; reason: string | null };

/** What came of a verdict: `outcomes` of the call itself, and behind it of those that waited with it. */
export type SettledVerdict = Verdict & { outcomes: { call: ModelCall; text: string }[] };

/**
 * The verdicts in the input of a request that have not come to a call yet. Throws a GatewayError for one about a request that is not
 * the caller's.
 */
export function verdictsIn(input: unknown, caller: string, approvals: Approvals): Verdict[] {
  const items = objectsIn(input);
  const made = new Set(items.map(({ approval_request_id: id, type }) => (type === 'mcp_call' ? id : null)));
  return items.flatMap(({ type, approval_request_id: id, approve, reason }, at) => {
    if (type !== 'mcp_approval_response' || typeof id !== 'string' || !id.startsWith(APPROVAL_PREFIX))
      return [];
    if (made.has(id)) return [];
    if (typeof approve !== 'boolean')
      throw refused(`input.${at}.approve`, `input.${at}.approve must be true or false.`);
    const pending = approvals.open(id, caller);
    if (pending === null)
      throw refused(
        `input.${at}.approval_request_id`,
        `input.${at}.approval_request_id is of no request that waits for this caller's approval.`,
      );
    return [{ id, pending, isApproved: approve, reason: typeof reason === 'string' ? reason : null }];
  });
}

export type MakeCall = (tool: FoundTool, call: ModelCall) => Promise<{ text: string; isError: boolean }>;

/** Makes the calls that were approved; of those that were not, the model is told. */
export async function settle(
  verdicts: readonly Verdict[],
  tools: readonly FoundTool[],
  make: MakeCall,
): Promise<{ settled: SettledVerdict[]; outcomes: ToolOutcome[] }> {
  const settled: SettledVerdict[] = [];
  const outcomes: ToolOutcome[] = [];
  const toolOf = (label: string, name: string) =>
    tools.find((tool) => tool.label === label && tool.name === name);
  for (const verdict of verdicts) {
    const { pending, isApproved, reason, id } = verdict;
    const calls = [
      { ...pending, isFree: false },
      ...pending.deferred.map((other) => ({ ...other, isFree: true })),
    ];
    const told = await Promise.all(
      calls.map(async ({ label, name, call, isFree }) => {
        if (!isFree && !isApproved) return { call, text: refusalText(reason) };
        const tool = toolOf(label, name);
        if (!tool) return { call, text: 'The tool is not available any more.' };
        const result = await make(tool, call);
        // Also of one that needed none: by this id it is known as made when the items come back.
        outcomes.push({ call, tool, ...result, approvalId: id });
        return { call, text: result.text };
      }),
    );
    settled.push({ ...verdict, outcomes: told });
  }
  return { settled, outcomes };
}

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
  return input.flatMap((item: JsonObject) => {
    const isRequest = item?.type === 'mcp_approval_request' && isOwn(item.id);
    if (isRequest) return calledBy(byId.get(item.id), nameOf);
    if (item?.type !== 'mcp_approval_response' || !isOwn(item.approval_request_id)) return [item];
    const { outcomes = [] } = byId.get(item.approval_request_id) ?? {};
    return outcomes.map(({ call, text }) => ({
      ...{ type: 'function_call_output', call_id: call.id, output: text },
    }));
  });
}

const isOwn = (id: unknown): boolean => typeof id === 'string' && id.startsWith(APPROVAL_PREFIX);

function calledBy(
  settled: SettledVerdict | undefined,
  nameOf: (label: string, name: string) => string,
): JsonObject[] {
  if (!settled) return [];
  const { pending } = settled;
  return [pending, ...pending.deferred].map(({ label, name, call }) => ({
    ...{ type: 'function_call', call_id: call.id, name: nameOf(label, name), arguments: call.arguments },
  }));
}
