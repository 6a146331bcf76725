import { isUtf8 } from 'node:buffer';
import { legible } from '../../../guardrails/segments/index.ts';

/** The text that bytes spell. `isExact`: they are UTF-8, and nothing but that text. */
export type TextOfBytes = { text: string; isExact: boolean };

/** Bytes at the beginning of sounds and pictures that tell that they are no text. */
const ENOUGH = 64 * 1024;

/** Null for bytes that are no text: one that is spoilt by some odd bytes, or is UTF-16, is one all the same. */
export function textOfBytes(bytes: Buffer): TextOfBytes | null {
  if (isUtf8(bytes) && !bytes.includes(0)) return { text: bytes.toString('utf8'), isExact: true };
  if (bytes.length > ENOUGH && legible(bytes.subarray(0, ENOUGH)) === null) return null;
  const text = legible(bytes);
  return text === null ? null : { text: text.replace(/[\0\ufffd]/g, ''), isExact: false };
}
