import { Buffer } from 'node:buffer';
import WordExtractor from 'word-extractor';
import { Unreadable } from './failure.ts';
import { isZip, requireSoundZip } from './zip.ts';

/** The body of a document, then its notes. A newer document under the old ending is read as well. */
export async function readDoc(bytes: Uint8Array): Promise<string> {
  if (isZip(bytes)) requireSoundZip(bytes);
  else if (isEncrypted(bytes)) throw new Unreadable('The file is protected by a password.');
  else if (bytes[0] !== 0xd0 || bytes[1] !== 0xcf) throw new Unreadable('The file is no document of Word.');
  const document = await new WordExtractor().extract(Buffer.from(bytes.buffer));
  const parts = [
    document.getBody(),
    document.getFootnotes(),
    document.getEndnotes(),
    document.getTextboxes(),
  ];
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}

/** Where the stream of a document may begin, in bytes. */
const SECTOR = 512;

/** The stream of the document begins with its mark; a flag after it says whether the rest can be read without a password. */
function isEncrypted(bytes: Uint8Array): boolean {
  for (let at = SECTOR; at + 12 <= bytes.length; at += SECTOR) {
    if (bytes[at] === 0xec && bytes[at + 1] === 0xa5) return ((bytes[at + 11] ?? 0) & 1) === 1;
  }
  return false;
}
