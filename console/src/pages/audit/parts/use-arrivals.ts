import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listen } from '../../../data/stream.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { setLive } from '../../../shell/frame/live-dot.tsx';
import { AuditAddedDocument, AuditDocument, type AuditLogFilters } from '../documents.ts';

/** Has the list read anew when an entry was written. */
export function useArrivals(isOn: boolean, filters: AuditLogFilters): void {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const wanted = JSON.stringify(filters);
  useEffect(() => {
    if (!isOn) return;
    const refresh = () => void queries.invalidateQueries({ queryKey: [AuditDocument.name] });
    const end = listen(
      AuditAddedDocument,
      { filters: JSON.parse(wanted) },
      {
        workspace,
        onEvent: refresh,
        onResume: refresh,
        onState: (isLive) => setLive(isLive ? 'live' : 'waiting'),
        onError: () => setLive('off'),
      },
    );
    return () => {
      end();
      setLive('off');
    };
  }, [isOn, wanted, workspace, queries]);
}
