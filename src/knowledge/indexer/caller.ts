import type { IncomingHttpHeaders } from 'node:http';
import { keptHeaders } from '../../dataplane/call/kept-headers.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { VectorStoreFileDocument } from '../documents.ts';

/** The headers of a request with which files are embedded, sealed for the file or the store that keeps them. */
export const sealHeaders = (secrets: Secrets, headers: IncomingHttpHeaders, keeper: string): string =>
  secrets.encrypt(JSON.stringify(keptHeaders(headers)), keeper);

/** What a store has sealed, sealed for one of its files. */
export const sealAnew = (
  secrets: Secrets,
  sealed: string,
  { from, to }: { from: string; to: string },
): string => secrets.encrypt(secrets.decrypt(sealed, from), to);

/** The headers with which a file is embedded: those of its request, and what tells logs where it belongs. */
export function sealedHeaders(secrets: Secrets, file: VectorStoreFileDocument): IncomingHttpHeaders {
  return headersFor(secrets, file, { sealed: file.sealedCaller, keeper: file._id });
}

/** The same where another request than the one that brought it pays, as for a change of the embedding of its store. */
export function headersFor(
  secrets: Secrets,
  file: VectorStoreFileDocument,
  { sealed, keeper }: { sealed: string | undefined; keeper: string },
): IncomingHttpHeaders {
  if (sealed === undefined) throw new Error('Who has ended asks for no embedding.');
  return {
    ...(JSON.parse(secrets.decrypt(sealed, keeper)) as IncomingHttpHeaders),
    'x-gateway-metadata': JSON.stringify({ _vector_store: file.storeId, _file: file.fileId }),
  };
}
