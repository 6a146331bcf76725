/** How often each bucket of a scale was met, or any other number: sparse, since most never are. */
export type HistogramCounts = Map<number, number>;

/** The width of a bucket: a value that is read back is off by at most 2 %. */
const ERROR = 0.02;
const GAMMA = (1 + ERROR) / (1 - ERROR);
const LOG_GAMMA = Math.log(GAMMA);

export const count = (counts: HistogramCounts, key: number, times = 1): void => {
  counts.set(key, (counts.get(key) ?? 0) + times);
};

/** The bucket of a whole number: 0 has one of its own, each other one reaches from gamma^(n-2) to gamma^(n-1). */
export const bucketOf = (value: number): number =>
  value <= 0 ? 0 : Math.max(1, Math.ceil(Math.log(value) / LOG_GAMMA) + 1);

/** The value that is off from every value in the bucket by the same share. */
const middleOf = (bucket: number): number => (bucket === 0 ? 0 : (2 * GAMMA ** (bucket - 1)) / (GAMMA + 1));

/** The smallest value that at least the share `quantile` of all does not exceed, within 2 %; 0 when there are none. */
export function percentile(histogram: HistogramCounts, quantile: number): number {
  let total = 0;
  for (const times of histogram.values()) total += times;
  let rank = Math.max(1, Math.ceil(quantile * total));
  for (const bucket of [...histogram.keys()].sort((a, b) => a - b)) {
    rank -= histogram.get(bucket) ?? 0;
    if (rank <= 0) return middleOf(bucket);
  }
  return 0;
}
