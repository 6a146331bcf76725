import { decodeGuardrails } from '../../../recording/log/guardrails.ts';
import { decodeCounted, decodeRefusal } from '../../../recording/log/limits.ts';
import { decodeMcpFacts } from '../../../recording/log/mcp.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { decodeRouting } from '../../../recording/log/routing.ts';
import { decodeCostLines } from '../../../recording/pricing/index.ts';
import { cents } from '../log-filters/index.ts';

/** What the cost of a log adds up from; null where the cost is not known, or not how it came about. */
export function costLinesOf({ costNanodollars, costLines }: LogRecord) {
  if (costNanodollars == null) return null;
  if (!costLines) return costNanodollars === 0 ? [] : null;
  return decodeCostLines(costLines).map(({ unit, quantity, price, nanodollars, source }) => ({
    class: unit,
    units: quantity,
    price,
    amount: cents(nanodollars) ?? 0,
    source,
  }));
}

/** How a call came to the target of a log, and what it did there; logs of older versions do not say it. */
export function routingOf({ routing, retryAttemptCount, lastUsedOptionJsonPath }: LogRecord) {
  const steps = routing ? decodeRouting(routing) : [];
  const retries = { path: lastUsedOptionJsonPath, reason: 'retry', value: retryAttemptCount } as const;
  return (retryAttemptCount ? [...steps, retries] : steps).map(({ path, reason, value }) => ({
    target: path,
    action:
      reason === 'circuit_open'
        ? ('skipped' as const)
        : reason === 'retry'
          ? ('retried' as const)
          : ('taken' as const),
    reason,
    value,
  }));
}

const NANODOLLARS = 1e9;

/** What a call was counted by; logs of older versions do not say it. */
export const limitsIn = ({ limits }: LogRecord) =>
  (limits ? decodeCounted(limits) : []).map(([limitId, unit, amount]) => ({
    limitId,
    unit,
    amount: unit === 'cost' ? amount / NANODOLLARS : amount,
  }));

/** Which limit refused a call. */
export function refusalOf({ refusal }: LogRecord) {
  if (!refusal) return null;
  const { code, limit } = decodeRefusal(refusal);
  const { id, ...others } = limit;
  return { code, limitId: id, ...others };
}

/** What guardrails came to; null where the call came under none. */
export const guardrailsIn = ({ guardrails }: LogRecord) => (guardrails ? decodeGuardrails(guardrails) : null);

/** What is known of a request to an MCP server; null for every other. */
export const mcpIn = ({ mcp }: LogRecord) => (mcp ? decodeMcpFacts(mcp) : null);
