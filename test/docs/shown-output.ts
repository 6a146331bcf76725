const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** What differs from one run to the next, as a page shows it and as it may look. */
const changing: [shown: RegExp, real: string][] = [
  [/…/g, '.*?'],
  [new RegExp(uuid, 'g'), uuid],
  [/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '[0-9TZ:.-]+'],
  [/\b1\d{9}\b/g, '\\d{10}'],
];

const squeezed = (text: string) => text.replace(/\s+/g, '');
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/**
 * The output that a page shows, as a pattern for real output without white space. `…` stands for anything; ids and times
 * may be others. What is one JSON value must be the whole output.
 */
export function patternOf(shown: string): RegExp {
  const text = squeezed(shown);
  const marks: string[] = [];
  const marked = changing.reduce(
    (left, [found, real]) =>
      left.replace(found, () => {
        marks.push(real);
        return `\0${marks.length - 1}\0`;
      }),
    text,
  );
  const pattern = escaped(marked).replace(/\0(\d+)\0/g, (_mark, index) => marks[Number(index)] ?? '');
  return new RegExp(text.startsWith('{') ? `^${pattern}$` : pattern);
}

/** Whether a program printed what its page shows. */
export const shows = (shown: string, printed: string): boolean => patternOf(shown).test(squeezed(printed));
