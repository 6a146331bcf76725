import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP's JSON has it. */
export type CollectedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  [key: string]: any;
};

export type TraceCollector = {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  /** In the order in which they came. */
  spans: CollectedSpan[];
  /** `authorization` of each request that was taken. */
  credentials: unknown[];
  /** Statuses that are answered next, before all is well again. */
  troubles: number[];
  stop(): void;
};

/** Takes spans as OTLP over HTTP. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const credentials: unknown[] = [];
  const troubles: number[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const status = troubles.shift() ?? 200;
    if (status === 200) {
      credentials.push(request.headers.authorization);
      const { resourceSpans } = JSON.parse(text);
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    spans,
    credentials,
    troubles,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const attributesOf = ({ attributes }: CollectedSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
