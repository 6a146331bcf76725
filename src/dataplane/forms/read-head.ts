import type { Readable } from 'node:stream';
import { type Form, parseForm } from './form.ts';
import { HeadBytes } from './head-bytes.ts';

/** Bytes before the first file in which the fields of a form are looked for. */
const HEAD_BYTES = 64 * 1024;

export type Head = {
  bytes: Buffer;
  /** Null when the bytes are of no form. */
  form: Form | null;
  /** Nothing follows. */
  isWhole: boolean;
};

/**
 * Reads a form that is too large to keep, or may be, up to its first file, so that what decides its way is known. The
 * stream is left paused behind that.
 */
export function readHead(stream: Readable, boundary: string): Promise<Head> {
  return new Promise((resolve, reject) => {
    const head = new HeadBytes(boundary);
    const settle = (isWhole: boolean) => {
      stream.off('data', take);
      stream.off('end', end);
      stream.off('error', reject);
      stream.pause();
      const { bytes } = head;
      try {
        resolve({ bytes, form: parseForm(bytes, boundary), isWhole });
      } catch (error) {
        reject(error);
      }
    };
    const take = (chunk: Buffer) => {
      head.add(chunk);
      if (head.bytes.length >= HEAD_BYTES || head.isInFile()) settle(false);
    };
    const end = () => settle(true);
    stream.on('data', take);
    stream.once('end', end);
    stream.once('error', reject);
  });
}
