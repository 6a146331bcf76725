import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
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

/** Random bytes for nonces: fetched one by one, they took as long as the encryption of a draft. */
const random = Buffer.alloc(NONCE_BYTES * 256);
let unused = random.length;

function fillNonce(head: Buffer): void {
  if (unused === random.length) {
    randomFillSync(random);
    unused = 0;
  }
  random.copy(head, LENGTH_BYTES, unused, unused + NONCE_BYTES);
  unused += NONCE_BYTES;
}

/** What is to be written, one after the other. */
export type SealedPiece = { parts: Uint8Array[]; length: number };

/** Ready to seal one piece. */
export type Sealing = { seal(bytes: Uint8Array): SealedPiece };

/** What does not need the bytes takes more of the time of a short piece than all else. */
export function beginSealing(key: KeyObject): Sealing {
  const head = Buffer.alloc(HEAD_BYTES);
  fillNonce(head);
  const cipher = createCipheriv(CIPHER, key, head.subarray(LENGTH_BYTES));
  return {
    seal(bytes) {
      const length = HEAD_BYTES + bytes.length + TAG_BYTES;
      head.writeUInt32LE(length - LENGTH_BYTES);
      const parts: Uint8Array[] = [head];
      for (let at = 0; at < bytes.length; at += SLICE_BYTES)
        parts.push(cipher.update(bytes.subarray(at, at + SLICE_BYTES)));
      cipher.final();
      parts.push(cipher.getAuthTag());
      return { parts, length };
    },
  };
}

/**
 * On this thread: half a megabyte takes a seventh of a millisecond, and another thread would first need a copy and then one
 * of the processors that requests take turns on.
 */
export const seal = (bytes: Uint8Array, key: KeyObject): SealedPiece => beginSealing(key).seal(bytes);

/** The bytes that were sealed. */
export const opened = ({ parts }: SealedPiece, key: KeyObject): Uint8Array =>
  decrypted(Buffer.concat(parts).subarray(LENGTH_BYTES), key);

/** Throws for what was not sealed with this key. */
function decrypted(piece: Buffer, key: KeyObject): Uint8Array {
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
export async function* openSealed(path: string, key: KeyObject): AsyncGenerator<Uint8Array> {
  // A file ends soon after 2 MiB; read piece by piece, a file of many small ones took several times as long.
  const file = await readFile(path);
  for (let at = 0; at + LENGTH_BYTES <= file.length; ) {
    const start = at + LENGTH_BYTES;
    at = start + file.readUInt32LE(at);
    if (at > file.length) return;
    yield decrypted(file.subarray(start, at), key);
  }
}
