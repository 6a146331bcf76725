import type { IncomingMessage } from 'node:http';
import { splitUrl } from '../../lib/http/request-url.ts';
import type { DocumentReference, TrustedDocuments } from './trusted-documents.ts';

/** Replaces the name of a trusted document in a request by its text, which is what every server of the graph reads. */
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

/** A request without an operation, such as a browser's for the page, passes unchanged. */
const isOperation = (request: unknown): request is DocumentReference =>
  typeof request === 'object' &&
  request !== null &&
  ('query' in request || 'documentId' in request || 'extensions' in request);

function extensionsIn(search: URLSearchParams): unknown {
  try {
    return JSON.parse(search.get('extensions') ?? 'null');
  } catch {
    // Extensions that are not JSON name no document.
    return null;
  }
}
