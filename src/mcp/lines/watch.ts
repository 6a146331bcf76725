import { isAggregate } from '../aggregate/index.ts';
import type { McpCaller } from '../exchange/caller.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { type Subscribe, saysChanges } from './subscription.ts';

/** Hears from servers that what they offer has changed, while somebody wants to know. */
export type UpstreamWatch = {
  /** Begins to listen for a caller; answers what ends it. */
  enter(server: McpServerRecord, caller: McpCaller): () => void;
};

const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** One subscription in the modern era, for all callers of this process who want to know of the same integration. */
type Shared = { wanted: number; end(): void };

/**
 * Servers of the older era speak on the streams of their sessions, which callers hold themselves. `readAgain`: reads a server that has
 * said so; `id`: of its integration.
 */
export function createUpstreamWatch(subscribe: Subscribe, readAgain: (id: string) => void): UpstreamWatch {
  const subscriptions = new Map<string, Shared>();

  function begun(server: McpServerRecord, caller: McpCaller): Shared {
    const { id } = server.upstream;
    const end = subscribe(server, caller, lists, {
      said({ method }) {
        if (typeof method === 'string' && method.endsWith('/list_changed')) readAgain(id);
      },
      missed: () => readAgain(id),
    });
    return { wanted: 0, end };
  }

  function hold(server: McpServerRecord, caller: McpCaller): () => void {
    const { id } = server.upstream;
    const held = subscriptions.get(id) ?? begun(server, caller);
    subscriptions.set(id, held);
    held.wanted++;
    return () => {
      held.wanted--;
      if (held.wanted > 0) return;
      subscriptions.delete(id);
      held.end();
    };
  }

  return {
    enter(server, caller) {
      const servers = isAggregate(server) ? server.servers : [server];
      const ends = servers.filter(saysChanges).map((each) => hold(each, caller));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
