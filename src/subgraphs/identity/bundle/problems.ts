import { GatewayError } from '../../../errors/index.ts';
import { pathText, type SpecPath } from './kind.ts';

/** The most that one answer tells. */
const MOST_TOLD = 100;

/** Where a mistake is: the document by its place in the list, by what it says it is, and the member. */
export type DocumentPlace = { index: number; kind?: unknown; slug?: unknown };

const labelOf = ({ index, kind, slug }: DocumentPlace): string => {
  const named = [kind, slug]
    .filter((part) => typeof part === 'string')
    .map((part) => String(part).slice(0, 100));
  return `Document ${index + 1}${named.length > 0 ? ` (${named.join(' ')})` : ''}`;
};

/** The mistakes of some documents, which are refused together. */
export class Problems {
  readonly #lines: { param: string; line: string }[] = [];

  add(place: DocumentPlace, path: SpecPath, message: string): void {
    const member = pathText(path);
    const separator = member === '' || member.startsWith('[') ? '' : '.';
    this.#lines.push({
      param: `input.documents[${place.index}]${separator}${member}`,
      line: `${labelOf(place)}: ${member === '' ? 'it' : member} ${message}`,
    });
  }

  /** Throws VALIDATION_FAILED, naming every mistake, where there is one. */
  refuse(): void {
    const [first] = this.#lines;
    if (!first) return;
    throw new GatewayError('VALIDATION_FAILED', {
      message: first.line,
      param: first.param,
      errors: this.#lines.length > 1 ? this.#lines.slice(0, MOST_TOLD).map(({ line }) => line) : undefined,
    });
  }
}
