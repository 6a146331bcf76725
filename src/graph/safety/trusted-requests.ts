import type { IncomingMessage } from 'node:http';
import { splitUrl } from '../../lib/request-url.ts';
import type { DocumentReference, TrustedDocuments } from './trusted-documents.ts';

/** Puts the text of the document that a request names in its place, where every server of the graph looks for it. */
export function nameDocument(
  documents: TrustedDocuments,
  request: IncomingMessage & { body?: unknown },
): void {
  if (request.method === 'GET') {
    const { path, query } = splitUrl(request.url);
    const search = new URLSearchParams(query);
    if (!isOperation(Object.fromEntries(search))) return;
    search.set(
      'query',
      documents.textOf({ ...Object.fromEntries(search), extensions: extensionsIn(search) }),
    );
    search.delete('extensions');
    request.url = `${path}?${search}`;
  } else if (isOperation(request.body)) {
    request.body = { ...request.body, query: documents.textOf(request.body), extensions: null };
  }
}

/** What carries no operation, such as a browser's look at the page, is answered as ever. */
const isOperation = (request: unknown): request is DocumentReference =>
  typeof request === 'object' &&
  request !== null &&
  ('query' in request || 'documentId' in request || 'extensions' in request);

function extensionsIn(search: URLSearchParams): unknown {
  try {
    return JSON.parse(search.get('extensions') ?? 'null');
  } catch {
    // What is not JSON names no document.
    return null;
  }
}
