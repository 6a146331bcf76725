import { createClient } from 'graphql-sse';
import type { Document } from './document.ts';
import { type AnswerError, fatalError, GraphError } from './graph-error.ts';
import { requestBody, workspaceHeader } from './run.ts';

export type Listener<Answer> = {
  /** Id or slug of the workspace that is listened to; null or absent for all that the viewer reaches. */
  workspace?: string | null;
  onEvent(answer: Answer): void;
  /** The stream has begun anew: what happened meanwhile has to be asked for. */
  onResume?(): void;
  /** Whether events arrive from now on. */
  onState?(isLive: boolean): void;
  /** The stream is over for good. */
  onError(error: GraphError): void;
};

/** Milliseconds before a stream that broke is tried again; they double with each failure. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
/** Refusals that no further try would change. */
const lasting = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'VALIDATION_FAILED',
  'DOCUMENT_NOT_TRUSTED',
  'NOT_FOUND',
]);

type Connection<Answer, Variables> = {
  operation: Document<Answer, Variables>;
  variables: Variables;
  listener: Listener<Answer>;
  onOpen(): void;
};

/** Follows a subscription until it is closed, over as many connections as that takes. */
export function connect<Answer, Variables>({
  operation,
  variables,
  listener,
  onOpen,
}: Connection<Answer, Variables>): () => void {
  const ending = new AbortController();
  let wait = FIRST_WAIT;
  const client = createClient({
    url: new URL('graphql/stream', document.baseURI).href,
    headers: workspaceHeader(listener.workspace),
    retryAttempts: 0,
    async fetchFn(input: RequestInfo, init?: RequestInit) {
      const response = await fetch(input, init);
      if (response.ok) onOpen();
      return response;
    },
  });

  async function follow(): Promise<void> {
    // The library wants a text; the service takes an empty one for none.
    const request = { query: '', ...requestBody(operation, variables as Record<string, unknown>) };
    for await (const { data, errors } of client.iterate<Answer>(request)) {
      const fatal = fatalError(errors as readonly AnswerError[] | undefined);
      if (fatal) throw fatal;
      wait = FIRST_WAIT;
      if (data) listener.onEvent(data);
    }
  }

  async function keepFollowing(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await follow();
      } catch (error) {
        if (ending.signal.aborted) return;
        if (error instanceof GraphError && lasting.has(error.code)) {
          listener.onState?.(false);
          return listener.onError(error);
        }
      }
      listener.onState?.(false);
      await pause(wait, ending.signal);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    }
  }

  void keepFollowing();
  return () => {
    ending.abort();
    client.dispose();
    listener.onState?.(false);
  };
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
