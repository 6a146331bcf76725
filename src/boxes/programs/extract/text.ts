import { Unreadable } from './failure.ts';

/** Text of any kind: UTF-8, or UTF-16 where a byte order mark says so. */
export function readText(bytes: Uint8Array): string {
  const text = decode(bytes, encodingOf(bytes));
  if (text.includes('\0')) throw noText();
  return text;
}

/** Decodes text; an Unreadable where the bytes are none. */
export function decode(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw noText();
  }
}

/** As the byte order mark says; UTF-8 without one. */
export function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

const noText = () =>
  new Unreadable('The file is no text in UTF-8, or in UTF-16 with a byte order mark.', 'unsupported_file');
