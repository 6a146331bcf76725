import { evaluate } from './evaluate.ts';
import { measureLarge } from './large.ts';

/** `npm run bench:search`: how well the search without a model answers questions on this product's pages, and how fast a large store is. */
const quality = evaluate();
for (const { ranking, recall, mrr } of quality)
  console.log(`${ranking}: recall@5 ${recall.toFixed(2)}, MRR ${mrr.toFixed(2)}`);
for (const line of measureLarge()) console.log(line);
