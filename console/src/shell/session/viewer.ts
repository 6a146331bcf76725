import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { run } from '../../data/run.ts';
import { ViewerDocument, type ViewerQuery } from '../documents.ts';

export type Viewer = NonNullable<ViewerQuery['viewer']>;

/** Who is signed in; what they may do depends on the workspace. */
export const useViewerQuery = (workspace: string | null) =>
  useQuery({
    queryKey: [ViewerDocument.name, workspace],
    queryFn: async ({ signal }) => (await run(ViewerDocument, {}, { workspace, signal })).viewer,
    staleTime: 30_000,
    retry: false,
  });

export const ViewerContext = createContext<Viewer | null>(null);

/** Within the frame there is always somebody. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('useViewer is used outside the frame.');
  return viewer;
}

export const mayAny = ({ permissions }: Viewer, scopes: readonly string[]): boolean =>
  scopes.length === 0 || scopes.some((scope) => permissions.includes(scope));

/**
 * Whether the viewer has any of some scopes, and why a button is off where not: null, or a sentence that names the scope.
 */
export function useMay(...scopes: readonly string[]): { may: boolean; refusal: string | null } {
  const may = mayAny(useViewer(), scopes);
  return { may, refusal: may ? null : `Needs ${scopes.join(' or ')}` };
}
