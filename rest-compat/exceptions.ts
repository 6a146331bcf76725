import type { RestException } from './exception.ts';
import { logExportContent } from './exceptions/log-export-content.ts';

/** Every path that is answered by code rather than by a document. */
export const exceptions: RestException[] = [logExportContent];
