import { ownRequestsFilter, requireScope } from '../../../auth/index.ts';
import { redactText } from '../../../lib/redaction.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import type { QueryTraceArgs } from '../../types.generated.ts';
import { logModel } from '../log/index.ts';
import { type SpanNode, treesOf } from './tree.ts';

export type TraceTree = { traceId: string; spans: SpanNode[]; isWhole: boolean };

/** Logs of one trace that are read. */
const MAX_LOGS = 1000;

export async function getTrace(context: GraphContext, { traceId }: QueryTraceArgs): Promise<TraceTree> {
  const principal = requireScope(context.principal, ['logs.list']);
  const found = await orTooSlow(
    logModel(context.db)
      // As logs store it.
      .find({ ...ownRequestsFilter(principal), traceId: redactText(traceId) }, null, boundedRead)
      .sort({ createdAt: -1, _id: -1 })
      .limit(MAX_LOGS + 1)
      .lean<LogRecord[]>()
      .exec(),
  );
  const spans = treesOf(found.slice(0, MAX_LOGS).reverse());
  return { traceId, spans, isWhole: found.length <= MAX_LOGS };
}
