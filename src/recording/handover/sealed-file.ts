import { webcrypto } from 'node:crypto';
import { open } from 'node:fs/promises';

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
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Buffer.alloc(LENGTH_BYTES);
    for (let at = 0; at + LENGTH_BYTES <= size; ) {
      await file.read(length, 0, LENGTH_BYTES, at);
      const piece = length.readUInt32LE();
      at += LENGTH_BYTES + piece;
      if (at > size) return;
      const bytes = Buffer.allocUnsafeSlow(piece);
      await file.read(bytes, 0, piece, at - piece);
      const iv = bytes.subarray(0, NONCE_BYTES);
      const sealed = bytes.subarray(NONCE_BYTES);
      yield new Uint8Array(await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv }, imported, sealed));
    }
  } finally {
    await file.close();
  }
}
