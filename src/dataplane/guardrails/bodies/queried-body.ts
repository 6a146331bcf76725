import type { TextEdit } from '../../../guardrails/check.ts';
import type { FoundSegment, Placeholders, ReadTexts } from '../../../guardrails/segments/index.ts';
import type { ByteBody } from './byte-body.ts';

/** In the place of a path: the text stands in the query. */
const QUERY = '\u0000query';

/** A body while it is checked together with a query, in which nothing can be changed. */
export class QueriedBody implements ByteBody {
  readonly #body: ByteBody;
  readonly #query: readonly FoundSegment[];

  constructor(body: ByteBody, query: readonly FoundSegment[]) {
    this.#body = body;
    this.#query = query.map((segment) => ({ ...segment, path: [QUERY, ...segment.path] }));
  }

  get texts(): ReadTexts {
    const { texts } = this.#body;
    return { ...texts, segments: [...this.#query, ...texts.segments] };
  }

  get value(): unknown {
    return this.#body.value;
  }

  get isEdited(): boolean {
    return this.#body.isEdited;
  }

  edit(edits: readonly TextEdit[], placeholders: Placeholders): boolean {
    return this.#body.edit(
      edits.filter(({ segment }) => segment.path[0] !== QUERY),
      placeholders,
    );
  }

  replace(value: Readonly<Record<string, unknown>>): void {
    this.#body.replace(value);
  }

  bytes(): Buffer {
    return this.#body.bytes();
  }
}
