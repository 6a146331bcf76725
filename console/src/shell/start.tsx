import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { GraphError } from '../data/graph-error.ts';
import { Failure } from '../ui/index.ts';
import { pages } from './pages.ts';
import { setSignedOut } from './session/signed-out.ts';
import { mayAny, useViewerQuery, type Viewer } from './session/viewer.ts';

/** The first page of whoever opens the console without naming one. */
export function Start() {
  const { data: viewer, error, refetch } = useViewerQuery(null);
  const navigate = useNavigate();
  useEffect(() => {
    if (viewer) navigate({ to: firstPage(viewer), replace: true } as never);
  }, [viewer, navigate]);
  useEffect(() => {
    if (error instanceof GraphError && error.code === 'UNAUTHENTICATED') setSignedOut(error.message);
  }, [error]);
  if (error instanceof GraphError && error.code !== 'UNAUTHENTICATED')
    return (
      <Failure
        title="The console cannot ask who you are"
        message={error.message}
        onRetry={() => void refetch()}
      />
    );
  return null;
}

/** All workspaces where the viewer sees logs of all, else the first of their own. */
function firstPage(viewer: Viewer): string {
  const seesAll = viewer.permissions.includes('logs.list') && viewer.workspaces.length !== 1;
  const slug = seesAll ? '_' : (viewer.workspaces[0]?.slug ?? '_');
  const page = pages.find(({ scopes }) => mayAny(viewer, scopes)) ?? pages[0];
  return `/${slug}/${page?.path ?? ''}`;
}
