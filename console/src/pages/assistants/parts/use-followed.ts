import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listen } from '../../../data/stream.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { setLive } from '../../../shell/frame/live-dot.tsx';
import { RunFollowedDocument, ThreadShownDocument } from '../documents.ts';

/** Reads the thread anew with every step of a run, until the run ends; null follows nothing. */
export function useFollowed(thread: string, run: string | null): void {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  useEffect(() => {
    if (run === null) return;
    const refresh = () => void queries.invalidateQueries({ queryKey: [ThreadShownDocument.name] });
    const end = listen(
      RunFollowedDocument,
      { thread, run },
      {
        workspace,
        // Pieces of a text come by the hundred; the message that they add up to comes behind them.
        onEvent: ({ runEvents }) => !runEvents.event.endsWith('.delta') && refresh(),
        onResume: refresh,
        onState: (isLive) => {
          setLive(isLive ? 'live' : 'waiting');
          // The stream ends with the run.
          if (!isLive) refresh();
        },
        onError: refresh,
      },
    );
    return () => {
      end();
      setLive('off');
    };
  }, [thread, run, workspace, queries]);
}
