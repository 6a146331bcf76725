import { unzipSync } from 'fflate';
import { Unreadable } from './failure.ts';

/** Bytes of markup in one document, once unpacked. */
const MOST_MARKUP_BYTES = 200 * 1024 * 1024;
const MOST_ENTRIES = 20_000;
const isMarkup = (name: string) => /\.(xml|rels|vml)$/i.test(name);

export const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;

/**
 * Refuses what would unpack to more than a document has, by the directory of the archive alone: nothing is unpacked for it.
 *
 * @returns the names of the entries.
 */
export function requireSoundZip(bytes: Uint8Array): string[] {
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf) {
    throw new Unreadable('The file is protected by a password, or is of an older format than its name says.');
  }
  if (!isZip(bytes))
    throw new Unreadable('The file is damaged, or is not of the format that its name says: no archive.');
  const names: string[] = [];
  let markupBytes = 0;
  unzipSync(bytes, {
    filter({ name, originalSize }) {
      names.push(name);
      if (isMarkup(name)) markupBytes += originalSize;
      if (names.length > MOST_ENTRIES) {
        throw new Unreadable(`The file is an archive of more than ${MOST_ENTRIES} entries.`);
      }
      return false;
    },
  });
  if (markupBytes > MOST_MARKUP_BYTES) {
    const megabytes = Math.round(markupBytes / 1024 / 1024);
    throw new Unreadable(`The file unpacks to ${megabytes} MB of markup; at most 200 MB are read.`);
  }
  return names;
}

/** The entries whose names `isWanted` takes, unpacked. */
export function unpack(bytes: Uint8Array, isWanted: (name: string) => boolean): Record<string, Uint8Array> {
  requireSoundZip(bytes);
  return unzipSync(bytes, { filter: ({ name }) => isMarkup(name) && isWanted(name) });
}
