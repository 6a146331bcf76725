import { useEffect } from 'react';
import { listenAtRest } from '../../data/stream.ts';
import { useWorkspace } from '../../data/workspace.ts';
import { PresenceDocument } from '../documents.ts';
import { mayAny, useViewer } from './viewer.ts';

/** Keeps a stream open while the page has none: it ends within a second of the sign-in, or of a role that is taken away. */
export function usePresence(): void {
  const workspace = useWorkspace();
  const viewer = useViewer();
  const mayListen = mayAny(viewer, ['logs.list']);
  const scopes = viewer.permissions.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what may be done now is listened to anew
  useEffect(() => {
    if (!mayListen) return;
    return listenAtRest(PresenceDocument, {}, { workspace, onEvent: () => {}, onError: () => {} });
  }, [mayListen, scopes, workspace]);
}
