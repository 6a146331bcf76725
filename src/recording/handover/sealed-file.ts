import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';

// A piece: length of what follows, nonce, AES-256-GCM of the bytes. Drafts still hold the callers' keys and secrets, which
// nobody shall find on a disk.
const LENGTH_BYTES = 4;
const NONCE_BYTES = 12;

const keyOf = (key: Uint8Array, use: 'encrypt' | 'decrypt'): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, [use]);

/** Answers what is to be written, one after the other. The work is done beside this thread. */
export function createSealer(key: Uint8Array): (bytes: Uint8Array) => Promise<Uint8Array[]> {
  let imported: Promise<webcrypto.CryptoKey> | null = null;
  return async (bytes) => {
    imported ??= keyOf(key, 'encrypt');
    const iv = webcrypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv }, await imported, bytes);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(NONCE_BYTES + sealed.byteLength);
    return [length, iv, new Uint8Array(sealed)];
  };
}

/**
 * The pieces of a file. The process may have been killed in the middle of the last one, which is left out then.
 * Throws when a whole piece is not one that was sealed with this key.
 */
export async function* openSealed(path: string, key: Uint8Array): AsyncGenerator<Uint8Array> {
  const imported = await keyOf(key, 'decrypt');
  const bytes = await readFile(path);
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) {
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32LE(at);
    if (at > bytes.length) return;
    const iv = bytes.subarray(start, start + NONCE_BYTES);
    const sealed = bytes.subarray(start + NONCE_BYTES, at);
    yield new Uint8Array(await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv }, imported, sealed));
  }
}
