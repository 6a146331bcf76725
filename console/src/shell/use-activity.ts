import { useEffect, useRef } from 'react';
import { listen } from '../data/stream.ts';
import { useWorkspace } from '../data/workspace.ts';
import { ActivityDocument } from './documents.ts';
import { setLive } from './frame/live-dot.tsx';

/**
 * Pulses after the last call at which answers are read: at once, since lists know it by then, and later, since the sums of
 * analytics follow within a second, or some seconds on a busy machine.
 */
const LOOKS = new Set([0, 1, 4]);

/** Has a page read its answers anew when somebody has called. */
export function useActivity(isOn: boolean, readAnew: () => void): void {
  const latest = useRef(readAnew);
  latest.current = readAnew;
  const workspace = useWorkspace();
  useEffect(() => {
    if (!isOn) return;
    let pulses = Number.POSITIVE_INFINITY;
    const refresh = () => latest.current();
    const end = listen(
      ActivityDocument,
      {},
      {
        workspace,
        onEvent({ activity }) {
          pulses = activity.requests > 0 ? 0 : pulses + 1;
          if (LOOKS.has(pulses)) refresh();
        },
        onResume: refresh,
        onState: (isLive) => setLive(isLive ? 'live' : 'waiting'),
        onError: () => setLive('off'),
      },
    );
    return () => {
      end();
      setLive('off');
    };
  }, [isOn, workspace]);
}
