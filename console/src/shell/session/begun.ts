import type { QueryClient } from '@tanstack/react-query';
import { answerIn } from '../../data/run.ts';
import { ViewerDocument, type ViewerQuery } from '../documents.ts';

declare global {
  interface Window {
    /** Who is signed in, which `first.js` asked before there was anything else. */
    sluiceViewer?: { workspace: string | null; response: Promise<Response> };
  }
}

/**
 * Keeps what `first.js` asked as if a page had asked it. A failure is kept nowhere: the page asks itself, and says what is wrong.
 */
export async function keepBegun(queries: QueryClient): Promise<void> {
  const begun = window.sluiceViewer;
  delete window.sluiceViewer;
  if (!begun) return;
  try {
    const { viewer } = await answerIn<ViewerQuery>(await begun.response);
    const key = [ViewerDocument.name, begun.workspace];
    // A page that did not wait for it has asked anew, and knows better.
    if (!queries.getQueryState(key)) queries.setQueryData(key, viewer);
  } catch {
    // The page asks again.
  }
}
