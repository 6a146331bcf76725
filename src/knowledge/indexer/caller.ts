import type { IncomingHttpHeaders } from 'node:http';
import { keptHeaders } from '../../dataplane/call/kept-headers.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { VectorStoreFileDocument } from '../documents.ts';

/** The headers of a request with which its files are embedded, sealed for a file. */
export const sealHeaders = (secrets: Secrets, headers: IncomingHttpHeaders, storeFile: string): string =>
  secrets.encrypt(JSON.stringify(keptHeaders(headers)), storeFile);

/** The headers with which a file is embedded: those of its request, and what tells logs where it belongs. */
export function sealedHeaders(secrets: Secrets, file: VectorStoreFileDocument): IncomingHttpHeaders {
  if (file.sealedCaller === undefined) throw new Error('A file that has ended asks for no embedding.');
  const headers = JSON.parse(secrets.decrypt(file.sealedCaller, file._id)) as IncomingHttpHeaders;
  return {
    ...headers,
    'x-gateway-metadata': JSON.stringify({ _vector_store: file.storeId, _file: file.fileId }),
  };
}
