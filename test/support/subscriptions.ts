import type { FormattedExecutionResult } from 'graphql';
import { createClient as createStreamClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';

/** What both kinds of client can do; the results of a subscription one by one. */
export type SubscriptionClient = {
  subscribe(query: string, variables?: Record<string, unknown>): Results;
  close(): void;
};

export type Results = {
  /** The next result; rejects when the subscription ended with an error, answers null when it ended without. */
  next(): Promise<FormattedExecutionResult<Record<string, any>> | null>;
  /** Everything that came and was not read yet. */
  waiting(): FormattedExecutionResult<Record<string, any>>[];
  end(): void;
};

type Sink = {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
};

/** The graph over WebSocket, with the protocol's own client. */
export function socketClient(url: string, key: string | null): SubscriptionClient {
  const client = createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(key !== null && { connectionParams: { 'x-gateway-api-key': key } }),
  });
  return {
    subscribe: (query, variables = {}) => results((sink) => client.subscribe({ query, variables }, sink)),
    close: () => void client.dispose(),
  };
}

/** The graph over server-sent events, with the protocol's own client. */
export function streamClient(url: string, key: string | null): SubscriptionClient {
  const client = createStreamClient({
    url: `${url}/graphql/stream`,
    retryAttempts: 0,
    ...(key !== null && { headers: { 'x-gateway-api-key': key } }),
  });
  return {
    subscribe: (query, variables = {}) => results((sink) => client.subscribe({ query, variables }, sink)),
    close: () => client.dispose(),
  };
}

function results(subscribe: (sink: Sink) => () => void): Results {
  const waiting: FormattedExecutionResult<Record<string, any>>[] = [];
  let ended: { error: unknown } | null = null;
  let wake = () => {};
  const finish = (error: unknown) => {
    ended ??= { error };
    wake();
  };
  const end = subscribe({
    next(value) {
      waiting.push(value as FormattedExecutionResult<Record<string, any>>);
      wake();
    },
    error: finish,
    complete: () => finish(null),
  });
  return {
    end,
    waiting: () => waiting,
    async next() {
      while (waiting.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const first = waiting.shift();
      if (first) return first;
      if (ended?.error) throw ended.error;
      return null;
    },
  };
}

/** Waits until `condition` holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('It did not come to pass.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How many subscriptions a service has open, by its metrics. */
export async function openSubscriptions(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^sluice_subscriptions (\d+)$/m.exec(text)?.[1]);
}
