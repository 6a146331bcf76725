/** Where two texts of one line a thing differ: the lines that went, marked `-`, and those that came, marked `+`. */
export function changesBetween(before: string, after: string): string[] {
  const [old, current] = [before.split('\n'), after.split('\n')];
  const missing = (lines: string[], others: string[], mark: string) => {
    const known = new Set(others);
    return lines.filter((line) => !known.has(line)).map((line) => `${mark} ${line}`);
  };
  const changes = [...missing(old, current, '-'), ...missing(current, old, '+')];
  // Both versions of a thing stand together, for they begin with the same name.
  return changes.length === 0 && before !== after
    ? ['another order']
    : changes.sort((one, other) => (one.slice(2) < other.slice(2) ? -1 : 1));
}
