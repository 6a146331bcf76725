import { type ExtractText, formatOf, readText, Unreadable } from '../boxes/index.ts';
import type { FileDocument, Files } from '../files/index.ts';
import type { StoredContent } from '../storage/contents/index.ts';
import type { FileSources, SourceText } from './deps.ts';

/** Bytes of the largest plain text that is decoded here; a larger one is read in a box, which has bounds of its own. */
const MOST_DECODED = 8 * 1024 * 1024;

/** The texts of the files of a workspace: plain text is decoded here, anything else is read in a box. */
export const createSources = (
  files: Pick<Files, 'find' | 'open'>,
  extractText: ExtractText,
): FileSources => ({
  async textOf(owner, fileId, signal) {
    const file = await files.find(owner, fileId);
    const content = file && (await files.open(file));
    if (!file || !content) return null;
    const isDecoded = formatOf(file.filename) === 'text' && content.bytes <= MOST_DECODED;
    return isDecoded ? decoded(content) : extracted(extractText, { file, content }, signal);
  },
});

const extracted = (
  extractText: ExtractText,
  { file: { filename }, content: { bytes, read } }: { file: FileDocument; content: StoredContent },
  signal: AbortSignal,
): Promise<SourceText> => extractText({ filename, bytes, read: () => read() }, signal);

async function decoded(content: StoredContent): Promise<SourceText> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  try {
    return { text: readText(Buffer.concat(pieces)) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { failure: error.failure, message: error.message };
  }
}
