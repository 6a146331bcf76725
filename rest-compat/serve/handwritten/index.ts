import { getBatchOutput } from './batch-output.ts';
import { conversationEndpoints } from './conversations.ts';
import { fileEndpoints } from './files.ts';
import type { HandwrittenEndpoint } from './handwritten.ts';
import { logExportContent } from './log-export-content.ts';
import { responseEndpoints } from './responses.ts';
import { runEvents } from './run-events.ts';
import { transferEndpoints } from './transfer.ts';
import { uploadEndpoints } from './uploads.ts';

/** Every path that is answered by code rather than by a document. */
export const handwrittenEndpoints: HandwrittenEndpoint[] = [
  logExportContent,
  ...fileEndpoints,
  ...uploadEndpoints,
  runEvents,
  getBatchOutput,
  ...responseEndpoints,
  ...conversationEndpoints,
  ...transferEndpoints,
];
