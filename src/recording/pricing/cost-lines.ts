/** A part of a cost: how much of a unit, at what price. */
export type CostLine = {
  /** Of the price list; `request` and `response` where an expression of the list works a side out. */
  unit: string;
  /** Null for an expression. */
  quantity: number | null;
  /** US cents for one; null for an expression. */
  price: number | null;
  nanodollars: number;
};

/** Where the prices of a call come from: the catalogue, or the integration's own. */
export type PriceSource = 'catalogue' | 'integration';

type Encoded = [PriceSource, ...[string, number | null, number | null, number][]];

/** The lines as a log stores them: text takes half the room of documents. Null without lines. */
export function encodeCostLines(source: PriceSource, lines: readonly CostLine[]): string | null {
  if (lines.length === 0) return null;
  const rows = lines.map(
    ({ unit, quantity, price, nanodollars }) => [unit, quantity, price, nanodollars] as Encoded[1],
  );
  return JSON.stringify([source, ...rows] satisfies Encoded);
}

export function decodeCostLines(text: string): (CostLine & { source: PriceSource })[] {
  const [source, ...rows] = JSON.parse(text) as Encoded;
  return rows.map(([unit, quantity, price, nanodollars]) => ({ unit, quantity, price, nanodollars, source }));
}
