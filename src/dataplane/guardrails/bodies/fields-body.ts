import type { TextEdit } from '../../../guardrails/check.ts';
import {
  type Placeholders,
  type ReadTexts,
  readJson,
  withEdits,
} from '../../../guardrails/segments/index.ts';
import type { ByteBody } from './byte-body.ts';

type Fields = readonly (readonly [string, string])[];

/** A body of fields as browsers send them (`a=b&c=d`) while it is checked: what stands for a space there is read as one. */
export class FieldsBody implements ByteBody {
  readonly value = null;
  readonly #bytes: Buffer;
  #fields: Fields;
  isEdited = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#fields = [...new URLSearchParams(bytes.toString('utf8'))];
  }

  get texts(): ReadTexts {
    return readJson(this.#fields, 'input');
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    const edited = withEdits(this.#fields, edits, placeholders) as Fields;
    if (edited === this.#fields) return false;
    this.#fields = edited;
    this.isEdited = true;
    return true;
  }

  replace(): void {
    throw new Error('Fields cannot be replaced by JSON.');
  }

  bytes(): Buffer {
    if (!this.isEdited) return this.#bytes;
    return Buffer.from(
      new URLSearchParams(this.#fields.map(([name, value]): [string, string] => [name, value])).toString(),
    );
  }
}
