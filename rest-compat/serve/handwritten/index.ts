import type { HandwrittenEndpoint } from './handwritten.ts';
import { logExportContent } from './log-export-content.ts';

/** Every path that is answered by code rather than by a document. */
export const handwrittenEndpoints: HandwrittenEndpoint[] = [logExportContent];
