import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';

// A piece: length of what follows, nonce, AES-256-GCM of the bytes, its tag. Drafts still hold the callers' keys and secrets,
// which nobody shall find on a disk.
const CIPHER = 'aes-256-gcm';
const LENGTH_BYTES = 4;
const NONCE_BYTES = 12;
const HEAD_BYTES = LENGTH_BYTES + NONCE_BYTES;
const TAG_BYTES = 16;
/** What is sealed into memory of its own: larger ones would need fresh pages from the system each time. */
const SLICE_BYTES = 64 * 1024;

/** What is to be written, one after the other. */
export type SealedPiece = { parts: Uint8Array[]; length: number };

/**
 * On this thread: half a megabyte takes a seventh of a millisecond, and another thread would first need a copy and then one
 * of the processors that requests take turns on.
 */
export function seal(bytes: Uint8Array, key: Uint8Array): SealedPiece {
  const head = Buffer.alloc(HEAD_BYTES);
  const length = HEAD_BYTES + bytes.length + TAG_BYTES;
  head.writeUInt32LE(length - LENGTH_BYTES);
  randomFillSync(head, LENGTH_BYTES);
  const cipher = createCipheriv(CIPHER, key, head.subarray(LENGTH_BYTES));
  const parts: Uint8Array[] = [head];
  for (let at = 0; at < bytes.length; at += SLICE_BYTES)
    parts.push(cipher.update(bytes.subarray(at, at + SLICE_BYTES)));
  cipher.final();
  parts.push(cipher.getAuthTag());
  return { parts, length };
}

/** The bytes that were sealed. */
export const opened = ({ parts }: SealedPiece, key: Uint8Array): Uint8Array =>
  decrypted(Buffer.concat(parts).subarray(LENGTH_BYTES), key);

/** Throws for what was not sealed with this key. */
function decrypted(piece: Buffer, key: Uint8Array): Uint8Array {
  const nonce = piece.subarray(0, NONCE_BYTES);
  const tag = piece.subarray(-TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAuthTag(tag);
  const bytes = decipher.update(piece.subarray(NONCE_BYTES, -TAG_BYTES));
  decipher.final();
  return bytes;
}

/**
 * The pieces of a file. The process may have been killed in the middle of the last one, which is left out then.
 * Throws when a whole piece is not one that was sealed with this key.
 */
export async function* openSealed(path: string, key: Uint8Array): AsyncGenerator<Uint8Array> {
  // A file ends soon after 2 MiB; read piece by piece, a file of many small ones took several times as long.
  const file = await readFile(path);
  for (let at = 0; at + LENGTH_BYTES <= file.length; ) {
    const start = at + LENGTH_BYTES;
    at = start + file.readUInt32LE(at);
    if (at > file.length) return;
    yield decrypted(file.subarray(start, at), key);
  }
}
