import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes the list of documents of a built console into a folder, which it makes. */
export async function writeConsoleDocuments(directory: string, texts: readonly string[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  const manifest = Object.fromEntries(texts.map((text) => [sha256(text), text]));
  await writeFile(join(directory, 'documents.json'), JSON.stringify(manifest));
}
