import { Buffer } from 'node:buffer';
import mammoth from 'mammoth';
import { requireSoundZip } from './zip.ts';

/** The paragraphs of a document, those in tables included; headers and footers are left out. */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  requireSoundZip(bytes);
  const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes.buffer) });
  return value;
}
