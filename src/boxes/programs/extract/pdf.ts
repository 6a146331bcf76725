import { extractText, getDocumentProxy } from 'unpdf';
import { Unreadable } from './failure.ts';

/** The text of all pages, with an empty line between two of them. */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(bytes).catch((error: Error) => {
    if (error.name === 'PasswordException') throw new Unreadable('The file is protected by a password.');
    throw error;
  });
  const { text } = await extractText(document, { mergePages: false });
  return text.join('\n\n');
}
