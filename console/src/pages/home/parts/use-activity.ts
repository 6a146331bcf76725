import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listen } from '../../../data/stream.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { setLive } from '../../../shell/frame/live-dot.tsx';
import { HomeActivityDocument, HomeDocument } from '../documents.ts';

/** Reads the figures anew when somebody has called, while the page is about the time until now. */
export function useActivity(isOn: boolean): void {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  useEffect(() => {
    if (!isOn) return;
    const refresh = () => void queries.invalidateQueries({ queryKey: [HomeDocument.name] });
    const end = listen(
      HomeActivityDocument,
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
  }, [isOn, workspace, queries]);
}
