/** Where two JSON texts differ, one line each, with what was there and what is there now. */
export function changesBetween(before: string, after: string): string[] {
  return differences(before === '' ? {} : JSON.parse(before), JSON.parse(after), []);
}

function differences(before: unknown, after: unknown, path: string[]): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && ![...before, ...after].some(isObject)) {
    return [`  ${path.join(' › ')}: ${moved(before, after)}`];
  }
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [`  ${path.join(' › ')}: ${shown(before)} became ${shown(after)}`];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    differences(before[name], after[name], [...path, name]),
  );
}

/** What a list of plain values lost and gained. */
function moved(before: unknown[], after: unknown[]): string {
  const missing = (from: unknown[], of: unknown[]) => of.filter((value) => !from.includes(value)).map(shown);
  const [lost, gained] = [missing(after, before), missing(before, after)];
  if (lost.length + gained.length === 0) return 'another order';
  return [lost.length > 0 ? `lost ${lost}` : '', gained.length > 0 ? `gained ${gained}` : '']
    .filter(Boolean)
    .join(', ');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
