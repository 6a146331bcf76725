import { useSyncExternalStore } from 'react';
import { classes } from '../../ui/index.ts';

type Live = 'off' | 'waiting' | 'live';

let state: Live = 'off';
const listeners = new Set<() => void>();

/** Pages say by it whether events arrive. */
export function setLive(next: Live): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLive = (): Live => useSyncExternalStore(subscribe, () => state);

/** Whether what is on the page follows what happens. */
export function LiveDot() {
  const live = useLive();
  if (live === 'off') return null;
  return (
    <span role="status" className="flex items-center gap-1.5 px-2 text-meta text-muted">
      <span className={classes('size-2 rounded-full', live === 'live' ? 'bg-ok' : 'bg-warn')} />
      {/* On narrow pages the dot alone, beside the time that it needs the room for. */}
      <span className="max-sm:sr-only">{live === 'live' ? 'Live' : 'Reconnecting'}</span>
    </span>
  );
}
