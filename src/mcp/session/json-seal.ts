import { isObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';

/** Makes texts that tell nobody anything but this installation, any process of which reads them again. */
export type JsonSeal<T extends object> = {
  seal(value: T): string;
  /** Null for a text that was not made here. */
  open(text: string): T | null;
};

type Kind = {
  /** By which texts of the kind are known. */
  prefix: string;
  /** A text of one owner is none of another. */
  owner: string;
  /** Characters of the longest text that is looked at. */
  maxLength: number;
};

/** Every text that `Secrets` makes begins with it, so that it need not be repeated. */
const VERSION = 'v1.';

export function createJsonSeal<T extends object>(
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
  { prefix, owner, maxLength }: Kind,
): JsonSeal<T> {
  return {
    seal: (value) => prefix + secrets.encrypt(JSON.stringify(value), owner).slice(VERSION.length),
    open(text) {
      if (!text.startsWith(prefix) || text.length > maxLength) return null;
      try {
        const value: unknown = JSON.parse(secrets.decrypt(VERSION + text.slice(prefix.length), owner));
        return isObject(value) ? (value as T) : null;
      } catch {
        // Whatever was changed in it, it was not made here.
        return null;
      }
    },
  };
}
