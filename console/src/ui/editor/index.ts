import { lazy } from 'react';

/** Large, so that it comes when a page with an editor does. It needs a `Suspense` around it. */
export const JsonEditor = lazy(() => import('./json-editor.tsx'));
