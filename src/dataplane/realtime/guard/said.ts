import type { FoundSegment } from '../../../guardrails/segments/index.ts';

/** Characters, and texts, that are kept. */
const MAX_LENGTH = 8 * 1024;
const MAX_TEXTS = 200;

/** The last texts of a caller since the model began to answer, as they went to the provider. */
export class Said {
  texts: readonly FoundSegment[] = [];

  add(more: readonly FoundSegment[]): void {
    const all = [...this.texts, ...more].slice(-MAX_TEXTS);
    let length = 0;
    const from = all.findLastIndex(({ text }) => {
      length += text.length;
      return length > MAX_LENGTH;
    });
    this.texts = all.slice(from + 1);
  }

  get isEmpty(): boolean {
    return this.texts.length === 0;
  }

  forget(): void {
    this.texts = [];
  }
}
