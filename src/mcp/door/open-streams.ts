import type { ServerResponse } from 'node:http';
import type { CapabilityType } from '../catalogue/index.ts';
import { callerKey } from '../exchange/caller.ts';
import type { EventStream } from '../exchange/event-stream.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { UpstreamWatch } from '../lines/watch.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

/** That a list reads otherwise: its name in the modern era's subscriptions, and the notice of it. */
export type McpListChange = { name: string; method: string };

const resources: McpListChange = {
  name: 'resourcesListChanged',
  method: 'notifications/resources/list_changed',
};

export const listChanges: Readonly<Record<CapabilityType, McpListChange>> = {
  tool: { name: 'toolsListChanged', method: 'notifications/tools/list_changed' },
  prompt: { name: 'promptsListChanged', method: 'notifications/prompts/list_changed' },
  resource: resources,
  resource_template: resources,
};

/** How a stream of an era says things. */
export type StreamManners = {
  /** Another text for each stream that may be open at the same time. */
  name: string;
  goodbye(stream: EventStream): void;
  tell(stream: EventStream, change: McpListChange): void;
};

/** A stream that stays open until somebody ends it. */
export type OpenStream = {
  readonly visit: McpVisit;
  readonly server: McpServerRecord;
  /** The server as its caller has been told of it last. */
  seen: McpServerRecord;
  stream: EventStream | null;
  tell(change: McpListChange): void;
  /** Says goodbye in the way of the stream's era, and ends it. */
  end(): void;
};

/** Milliseconds after which a stream ends; its caller opens another one. */
const LIFE_MS = 3_600_000;
const MAX_OF_CALLER = 50;
const MAX_OF_PROCESS = 10_000;

/** Streams without an answer that are open in this process. */
export class McpStreams {
  readonly #open = new Map<string, OpenStream>();
  readonly #counts = new Map<string, number>();
  readonly #watch: UpstreamWatch;
  /** Hears of each stream once it says things. */
  onOpened: ((open: OpenStream) => void) | null = null;

  constructor(watch: UpstreamWatch) {
    this.#watch = watch;
  }

  get size(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): IterableIterator<OpenStream> {
    return this.#open.values();
  }

  /** Takes a place, which is free again once the connection is gone. Throws where there is none. */
  enter(
    visit: McpVisit,
    server: McpServerRecord,
    response: ServerResponse,
    { name, goodbye, tell }: StreamManners,
  ): { opened(stream: EventStream): void; seen(): McpServerRecord; end(): void } {
    if (this.#open.has(name))
      throw new RpcFailure(rpc.transport, 'Conflict: Only one SSE stream is allowed per session', {
        status: 409,
      });
    const owner = `${callerKey(visit.caller)} ${server.id}`;
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_OF_CALLER || this.#open.size >= MAX_OF_PROCESS)
      throw new RpcFailure(rpc.rateLimited, 'Too many open streams.', { headers: { 'retry-after': '1' } });
    const open: OpenStream = {
      ...{ visit, server, seen: server, stream: null },
      tell(change) {
        if (open.stream) tell(open.stream, change);
      },
      end() {
        if (open.stream) goodbye(open.stream);
        else response.destroy();
      },
    };
    this.#open.set(name, open);
    this.#counts.set(owner, count + 1);
    const leave = this.#watch.enter(server, visit.caller);
    const timer = setTimeout(open.end, LIFE_MS);
    timer.unref();
    response.once('close', () => {
      clearTimeout(timer);
      leave();
      this.#open.delete(name);
      const left = (this.#counts.get(owner) ?? 1) - 1;
      if (left === 0) this.#counts.delete(owner);
      else this.#counts.set(owner, left);
    });
    return {
      opened: (stream) => {
        open.stream = stream;
        this.onOpened?.(open);
      },
      seen: () => open.seen,
      end: () => open.end(),
    };
  }

  endAll(): void {
    for (const { end } of this) end();
  }
}
