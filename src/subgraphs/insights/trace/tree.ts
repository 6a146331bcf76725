import type { LogRecord } from '../../../recording/log/record.ts';

export type SpanNode = {
  spanId: string;
  spanName: string | null;
  parentSpanId: string | null;
  /** Null for a request whose tries have the logs. */
  log: LogRecord | null;
  children: SpanNode[];
};

/** The logs of a trace, oldest first, as trees: the spans that have no parent among them. */
export function treesOf(logs: readonly LogRecord[]): SpanNode[] {
  const nodes = logs.flatMap(nodesOf(new Set(logs.map(({ spanId }) => spanId))));
  // Of several logs under one span id the first stands for it.
  const bySpan = new Map(nodes.toReversed().map((node) => [node.spanId, node]));
  const roots: SpanNode[] = [];
  for (const node of nodes) {
    const parent = node.parentSpanId === null ? undefined : bySpan.get(node.parentSpanId);
    if (parent && !isBelow(parent, node, bySpan)) parent.children.push(node);
    else roots.push(node);
  }
  return roots;
}

/** A log, and before the first try of a request with several the request itself, which has a log only when it was refused. */
const nodesOf =
  (seen: Set<string>) =>
  (log: LogRecord): SpanNode[] => {
    const { spanId, spanName, parentSpanId, callerSpanId = parentSpanId } = log;
    const node = { spanId, spanName, parentSpanId, log, children: [] };
    if (parentSpanId === null || parentSpanId === callerSpanId || seen.has(parentSpanId)) return [node];
    seen.add(parentSpanId);
    return [{ spanId: parentSpanId, spanName, parentSpanId: callerSpanId, log: null, children: [] }, node];
  };

/** True for a node in its own ancestry, which logs from elsewhere may claim. */
function isBelow(node: SpanNode, top: SpanNode, bySpan: ReadonlyMap<string, SpanNode>): boolean {
  const met = new Set<SpanNode>();
  for (let at: SpanNode | undefined = node; at && !met.has(at); at = bySpan.get(at.parentSpanId ?? '')) {
    if (at === top) return true;
    met.add(at);
  }
  return false;
}
