import { Counter, Histogram, Registry } from 'prom-client';
import { decodeGuardrails } from './guardrails.ts';
import { decodeMcpFacts } from './mcp.ts';
import type { LogRecord } from './record.ts';

/** What a registry tells of itself to another thread or process. */
export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export type TrafficMetrics = {
  count(record: LogRecord): void;
  read(): Promise<MetricsJson>;
};

const buckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const checkBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.25, 1, 3, 10];
const NANODOLLARS = 1e9;

/** Methods that a metric names, which shall have a bounded number of names. */
const mcpMethods: ReadonlySet<string> = new Set([
  ...['initialize', 'server/discover', 'logging/setLevel', 'completion/complete'],
  ...['tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/templates/list', 'resources/read'],
  ...['resources/subscribe', 'resources/unsubscribe', 'subscriptions/listen'],
]);

/**
 * What logs say of the traffic, by kind of provider. Never by model, workspace or key: their number has no bound. Counted
 * where logs are made, away from the requests.
 */
export function createTrafficMetrics(): TrafficMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'sluice_provider_requests_total',
    help: 'Tries at providers, by endpoint, status class and what the cache said; provider none: answered or refused here.',
    labelNames: ['provider', 'endpoint', 'status', 'cache'],
    registers,
  });
  const tokens = new Counter({
    name: 'sluice_tokens_total',
    help: 'Tokens as providers counted them.',
    labelNames: ['provider', 'direction'],
    registers,
  });
  const nanodollars = new Map<string, number>();
  new Counter({
    name: 'sluice_cost_dollars_total',
    help: 'Cost of what has a known price, in US dollars.',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset();
      for (const [provider, spent] of nanodollars) this.inc({ provider }, spent / NANODOLLARS);
    },
  });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['provider'], buckets, registers });
  const answered = histogram(
    'sluice_provider_request_duration_seconds',
    'Time from the arrival of a request to the last byte of the answer of this try.',
  );
  const upstream = histogram(
    'sluice_provider_upstream_duration_seconds',
    'Time that a try took, repetitions and waits included.',
  );
  const firstToken = histogram(
    'sluice_provider_time_to_first_token_seconds',
    'Time from sending a request to the first byte of the body of its answer.',
  );

  const checks = new Histogram({
    name: 'sluice_guardrail_check_duration_seconds',
    help: 'Time that a check of a guardrail took, by its kind and verdict.',
    labelNames: ['check', 'verdict'],
    buckets: checkBuckets,
    registers,
  });

  const mcpHistogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['mcp_method_name', 'error_type'], buckets, registers });
  const mcpServer = mcpHistogram(
    'mcp_server_operation_duration_seconds',
    'Time from the arrival of a request to an MCP server to its answer. error_type: how it ended, empty where it succeeded.',
  );
  const mcpClient = mcpHistogram(
    'mcp_client_operation_duration_seconds',
    'Time that the server behind an MCP server took, where it was asked.',
  );

  function countMcp({ mcp, responseTime, upstreamResponseTime }: LogRecord): void {
    if (mcp === null) return;
    const { method, status, upstreamStatus } = decodeMcpFacts(mcp);
    // Callers may name any method.
    const mcp_method_name = mcpMethods.has(method) ? method : '_OTHER';
    const labels = { mcp_method_name, error_type: status === 'success' ? '' : status };
    mcpServer.observe(labels, responseTime / 1000);
    if (upstreamStatus !== null) mcpClient.observe(labels, upstreamResponseTime / 1000);
  }

  return {
    count(record) {
      countMcp(record);
      if (record.guardrails !== null)
        for (const { checks: ran } of decodeGuardrails(record.guardrails).ran)
          for (const { id, verdict, time } of ran) checks.observe({ check: id, verdict }, time / 1000);
      const provider = record.aiProvider ?? 'none';
      const status = `${Math.floor(record.responseStatusCode / 100)}xx`;
      requests.inc({ provider, endpoint: record.endpoint, status, cache: record.cacheStatus });
      if (record.aiProvider === null) return;
      answered.observe({ provider }, record.responseTime / 1000);
      upstream.observe({ provider }, record.upstreamResponseTime / 1000);
      if (record.timeToFirstToken !== null) firstToken.observe({ provider }, record.timeToFirstToken / 1000);
      if (record.promptTokens !== null) tokens.inc({ provider, direction: 'input' }, record.promptTokens);
      if (record.completionTokens !== null)
        tokens.inc({ provider, direction: 'output' }, record.completionTokens);
      if (record.costNanodollars !== null)
        nanodollars.set(provider, (nanodollars.get(provider) ?? 0) + record.costNanodollars);
    },
    read: () => registry.getMetricsAsJSON(),
  };
}
