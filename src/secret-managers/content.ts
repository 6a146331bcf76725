import { isObject } from '../lib/json.ts';
import { SecretProblem } from './problem.ts';

/** How a part of a secret is taken: `json` takes an object or a list as its JSON text, `string` a text alone. */
export type ValueFormat = 'json' | 'string';

/** What a manager keeps under one path: a text, which may be a JSON object, or members by name. */
export class SecretContent {
  readonly #text: string;
  readonly #hasMembers: boolean;
  #members: Record<string, unknown> | null | undefined;

  private constructor(text: string, members: Record<string, unknown> | undefined) {
    this.#text = text;
    this.#members = members;
    this.#hasMembers = members !== undefined;
  }

  static ofText(text: string): SecretContent {
    return new SecretContent(text, undefined);
  }

  static ofMembers(members: Record<string, unknown>): SecretContent {
    return new SecretContent(JSON.stringify(members), members);
  }

  get length(): number {
    return this.#text.length;
  }

  equals(other: SecretContent): boolean {
    return this.#text === other.#text;
  }

  /** Names of its members; none where the secret is one text. */
  get names(): string[] {
    return Object.keys(this.#parsed() ?? {});
  }

  /** The text of a member, or of the whole where `key` is null. Throws a SecretProblem when there is none. */
  pick(key: string | null, format: ValueFormat | null): string {
    const value = this.#valueOf(key, format);
    if (typeof value !== 'string') return textOf(value, format);
    if (format !== 'json') return value.replace(/\r?\n$/, '');
    if (parsed(value) === undefined) throw new SecretProblem('unreadable', 'The secret is not JSON.');
    return value;
  }

  /** A member, whatever it is. Throws a SecretProblem when there is none. */
  member(key: string): unknown {
    const members = this.#parsed();
    if (members && Object.hasOwn(members, key)) return members[key];
    throw new SecretProblem('missing', `The secret has no member ${JSON.stringify(key)}.`);
  }

  #valueOf(key: string | null, format: ValueFormat | null): unknown {
    if (key !== null) return this.member(key);
    if (!this.#hasMembers || format === 'json') return this.#text;
    const values = Object.values(this.#parsed() ?? {});
    if (values.length === 1) return values[0];
    throw new SecretProblem(
      'unreadable',
      `The secret has ${values.length} members: say in secret_key which is meant.`,
    );
  }

  #parsed(): Record<string, unknown> | null {
    if (this.#members === undefined) {
      const value = parsed(this.#text);
      this.#members = isObject(value) ? value : null;
    }
    return this.#members;
  }

  /** A log or an error that happens to show a content shows nothing. */
  toJSON(): string {
    return '[secret]';
  }
}

function textOf(value: unknown, format: ValueFormat | null): string {
  if (format === 'json' && value !== undefined) return JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new SecretProblem('unreadable', 'The value is no text; value_format json takes an object or a list.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that is not JSON has no members.
    return undefined;
  }
}
