import { limitRefusal } from '../../dataplane/limits/refusal.ts';
import type { Directory } from '../../directory/memory.ts';
import type { Logger } from '../../lib/logger.ts';
import type { LimitAsk, LimitEngine, Reservation, Shortage } from '../../limits/engine.ts';
import type { Limit } from '../../limits/limit.ts';
import { CompiledLists, type LimitFacts, type LimitIndexes, SeenValues } from '../../limits/match/index.ts';
import {
  type CountedLimit,
  encodeCounted,
  encodeRefusal,
  type LimitRefusal,
} from '../../recording/log/limits.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { RelayCall } from '../relay/call.ts';

/** Bytes of text that are counted as one token. */
const BYTES_PER_TOKEN = 4;
const NANODOLLARS = 1e9;

/** What a call has taken of its limits; null where it comes under none. */
export type ToolReservation = {
  /** Counts what the call came to. `isSent`: the server may have done it. */
  settle(isSent: boolean): void;
};

/** Holds calls of tools to the limits with the target `mcp_tools`. Throws an RpcFailure for a call that is over one. */
export type ToolLimits = (call: RelayCall) => ToolReservation | null | Promise<ToolReservation | null>;

export function createToolLimits(
  directory: Pick<Directory, 'limitsOf'>,
  engine: LimitEngine,
  log: Logger,
): ToolLimits {
  const seen = new SeenValues(({ id, name }) =>
    log.warn(
      { limit: id },
      `The limit ${name} has as many values as are counted apart; further ones share a counter.`,
    ),
  );
  const compiled = new CompiledLists(seen, 'mcp_tools');

  async function take(call: RelayCall, asks: LimitAsk[]): Promise<ToolReservation> {
    const outcome = engine.take(asks);
    const taken: Reservation | Shortage = outcome instanceof Promise ? await outcome : outcome;
    if (!('settle' in taken)) throw refused(call, taken, engine);
    return {
      settle(isSent) {
        const amounts = asks.map((ask) => amountOf(call, ask, isSent));
        taken.settle(amounts);
        call.facts.limits = encodeCounted(
          asks.map(({ counter: { limit } }, at): CountedLimit => [limit.id, limit.unit, amounts[at] ?? 0]),
        );
      },
    };
  }

  function asksOf(call: RelayCall, { arrival, call: later, target }: LimitIndexes): LimitAsk[] {
    const facts = factsOf(call);
    return [arrival, later, target]
      .flatMap((index) => index?.matching(facts) ?? [])
      .map(({ limit, valueKey, values }) => {
        const counter = engine.counterOf(limit, valueKey, values);
        return { counter, amount: expected(call, limit) };
      });
  }

  return (call) => {
    const limits = directory.limitsOf(call.server.workspaceId);
    const withLimits = (found: readonly Limit[]) => {
      if (found.length === 0) return null;
      const indexes = compiled.indexesOf(found);
      return indexes instanceof Promise ? indexes.then(withIndexes) : withIndexes(indexes);
    };
    const withIndexes = (indexes: LimitIndexes) => {
      const asks = asksOf(call, indexes);
      return asks.length === 0 ? null : take(call, asks);
    };
    return limits instanceof Promise ? limits.then(withLimits) : withLimits(limits);
  };
}

/** An access token stands for no key: conditions about keys do not match it. */
function factsOf({ server, visit, facts }: RelayCall): LimitFacts {
  const { principal } = visit.caller.key;
  return {
    api_key: visit.caller.authType === 'api_key' ? principal.id : '',
    workspace_id: server.workspaceId,
    organisation_id: server.organisationId,
    ...{ endpoint_type: 'mcp', config: '', prompt: '', model: '', virtual_key: '', provider: '' },
    mcp_server: server.slug,
    mcp_tool: facts.subject ?? '',
    metadata: visit.metadata,
  };
}

const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

const argumentTokens = ({ params }: RelayCall): number => tokensIn(JSON.stringify(params.arguments ?? {}));

const costOf = ({ server }: RelayCall): number =>
  Math.round((server.upstream.configurations.cost_per_call ?? 0) * NANODOLLARS);

function expected(call: RelayCall, { unit }: Limit): number {
  if (unit === 'requests') return 1;
  return unit === 'tokens' ? argumentTokens(call) : costOf(call);
}

/** A call counts once it is let through; tokens and cost of one that never reached its server are nothing. */
function amountOf(call: RelayCall, { counter: { limit }, amount }: LimitAsk, isSent: boolean): number {
  if (limit.unit === 'requests') return 1;
  if (!isSent) return 0;
  return limit.unit === 'tokens' ? amount + tokensIn(call.facts.text ?? '') : amount;
}

function refused({ facts }: RelayCall, shortage: Shortage, engine: LimitEngine): RpcFailure {
  const { limit } = shortage.ask.counter;
  const error = limitRefusal(shortage, engine.stateOf(shortage.ask.counter), Date.now());
  const wait = Number(error.headers['retry-after-ms']);
  facts.refusedBy = 'limit';
  facts.refusal = encodeRefusal({
    code: error.entry.code ?? error.code,
    limit: error.beside?.limit as LimitRefusal['limit'],
  });
  return new RpcFailure(rpc.rateLimited, `Rate limit exceeded: ${limit.name}`, {
    data: {
      policy_id: limit.id.replace(/^policy:/, ''),
      ...(Number.isFinite(wait) && { retry_after_ms: wait }),
    },
    ...(error.retryAfter !== null && { headers: { 'retry-after': String(error.retryAfter) } }),
  });
}
