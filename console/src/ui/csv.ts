const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
// A program of tables would take such a text for a formula.
const safe = (text: string): string => quoted(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** A line of CSV, without its end. */
export const csvLine = (cells: readonly (string | number)[]): string =>
  cells.map((cell) => (typeof cell === 'string' ? safe(cell) : cell)).join(',');
