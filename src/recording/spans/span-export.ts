import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../lib/logger.ts';
import type { OtlpCollector } from '../../settings/traces.ts';
import { decodeGuardrails } from '../log/guardrails.ts';
import { decodeMcpFacts } from '../log/mcp.ts';
import type { LogRecord, Observed } from '../log/record.ts';
import type { CheckInLog } from './span.ts';

export type SpanCounters = { exported: number; failed: number; dropped: number };

export type SpanExport = {
  /** Takes what was logged without waiting; spans beyond the bound are dropped and counted. */
  add(made: readonly Observed[]): void;
  /** Sends what waits, as far as the collector takes it in time. */
  stop(): Promise<void>;
  counters: SpanCounters;
};

/** Spans that may wait for the collector. */
const MAX_WAITING = 20_000;
const BATCH = 512;
/** Milliseconds that a span waits for its neighbours. */
const DELAY = 1000;
/** Milliseconds that sending a batch may take, its repetitions included. */
const TIMEOUT = 5000;

/**
 * Tells a collector of every try at a provider, every call that has its tries below it, every request to an MCP server, and every
 * check of guardrails, in batches behind the log; `onSettled` runs when a batch was taken or lost. The libraries are loaded with the first span.
 */
export function createSpanExport(
  collector: OtlpCollector,
  log: Logger,
  onSettled: (counters: SpanCounters) => void,
): SpanExport {
  const counters: SpanCounters = { exported: 0, failed: 0, dropped: 0 };
  let waiting = 0;
  let loading: ReturnType<typeof load> | null = null;

  async function load() {
    const [{ BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }, calls, mcp] =
      await Promise.all([
        import('@opentelemetry/sdk-trace'),
        import('@opentelemetry/exporter-trace-otlp-http'),
        import('@opentelemetry/resources'),
        import('./span.ts'),
        import('./mcp-span.ts'),
      ]);
    const { url, headers } = collector;
    const exporter = counted(new OTLPTraceExporter({ url, headers, timeoutMillis: TIMEOUT }));
    const processor = new BatchSpanProcessor({
      exporter,
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: DELAY,
    });
    return {
      processor,
      spans: { ...calls, ...mcp },
      resource: resourceFromAttributes({ 'service.name': 'sluice' }),
    };
  }

  function counted(exporter: SpanExporter): SpanExporter {
    return {
      export(spans: ReadableSpan[], done) {
        exporter.export(spans, (result) => {
          waiting -= spans.length;
          if (result.error) {
            counters.failed += spans.length;
            log.warn({ error: result.error, spans: spans.length }, 'The trace collector took no spans.');
          } else counters.exported += spans.length;
          onSettled(counters);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
  }

  async function take(wanted: Wanted[]): Promise<void> {
    loading ??= load();
    const { processor, spans, resource } = await loading;
    for (const { record, kind, check } of wanted)
      processor.onEnd(check ? spans.spanOfCheck(record, resource, check) : spans[kind](record, resource));
  }

  return {
    counters,
    add(made) {
      const wanted = made.flatMap(wantedFor);
      const taken = wanted.slice(0, MAX_WAITING - waiting);
      counters.dropped += wanted.length - taken.length;
      if (taken.length === 0) return;
      waiting += taken.length;
      take(taken).catch((error: unknown) => {
        waiting -= taken.length;
        counters.failed += taken.length;
        log.error({ error }, 'Spans could not be made.');
      });
    },
    async stop() {
      const loaded = await loading;
      await loaded?.processor
        .shutdown()
        .catch((error: unknown) => log.warn({ error }, 'The last spans did not reach the trace collector.'));
    },
  };
}

/** A span that is to be made of a record. */
type Wanted =
  | {
      record: LogRecord;
      kind: 'spanOfTry' | 'spanOfCall' | 'spanOfMcpRequest' | 'spanOfMcpUpstream';
      check?: undefined;
    }
  | { record: LogRecord; kind: 'spanOfCheck'; check: CheckInLog };

function wantedFor({ record, endsCall }: Observed): Wanted[] {
  const wanted: Wanted[] = [];
  if (record.mcp !== null) {
    wanted.push({ record, kind: 'spanOfMcpRequest' });
    if (decodeMcpFacts(record.mcp).upstreamStatus !== null)
      wanted.push({ record, kind: 'spanOfMcpUpstream' });
  } else if (record.aiProvider !== null) wanted.push({ record, kind: 'spanOfTry' });
  if (endsCall) wanted.push({ record, kind: 'spanOfCall' });
  if (wanted.length > 0)
    for (const check of checksIn(record)) wanted.push({ record, kind: 'spanOfCheck', check });
  return wanted;
}

/** The checks that ran. */
function checksIn({ guardrails }: LogRecord): CheckInLog[] {
  if (guardrails === null) return [];
  return decodeGuardrails(guardrails).ran.flatMap((ran) =>
    ran.checks.flatMap((check, at) => (check.verdict === 'skipped' ? [] : [{ ran, check, at }])),
  );
}
