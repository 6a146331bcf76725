/** A line of two texts laid over each other: of both, of the first alone, or of the second alone. */
export type Line = { kind: 'same' | 'gone' | 'new'; text: string };

/** Lines of a text beyond which nobody compares by eye, and a comparison would take long. */
const MAX_LINES = 3000;

/** What it takes to come from one text to the other, by lines: the fewest that go and come. */
export function compareLines(before: string, after: string): Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  if (a.length > MAX_LINES || b.length > MAX_LINES)
    return [...a.map((text) => line('gone', text)), ...b.map((text) => line('new', text))];
  // lengths[i][j]: the longest common sequence of what follows a[i] and b[j].
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i] as Uint16Array;
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(line('same', a[i] ?? ''));
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      lines.push(line('gone', a[i++] ?? ''));
    else lines.push(line('new', b[j++] ?? ''));
  }
  return lines;
}

const line = (kind: Line['kind'], text: string): Line => ({ kind, text });
