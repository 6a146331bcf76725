import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listen } from '../data/stream.ts';
import { useWorkspace } from '../data/workspace.ts';
import { ActivityDocument } from './documents.ts';
import { setLive } from './frame/live-dot.tsx';

/** Reads the answers of a query anew when somebody has called, while the page is about the time until now. */
export function useActivity(isOn: boolean, query: string): void {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  useEffect(() => {
    if (!isOn) return;
    const refresh = () => void queries.invalidateQueries({ queryKey: [query] });
    const end = listen(
      ActivityDocument,
      {},
      {
        workspace,
        onEvent: ({ activity }) => activity.requests > 0 && refresh(),
        onResume: refresh,
        onState: (isLive) => setLive(isLive ? 'live' : 'waiting'),
        onError: () => setLive('off'),
      },
    );
    return () => {
      end();
      setLive('off');
    };
  }, [isOn, query, workspace, queries]);
}
