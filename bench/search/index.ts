import { embedLocally } from '../../src/knowledge/embed/local.ts';
import { type Embed, evaluate } from './evaluate.ts';
import { measureLarge } from './large.ts';
import { embedderAt } from './model.ts';

/**
 * `npm run bench:search`: how well the search without a model answers questions on this product's pages, and how fast a large store
 * is. `-- <base URL> <key> <model>` asks the same questions by the vectors of a model, too.
 */
const [url, key, model] = process.argv.slice(2);

async function report(name: string, embed: Embed): Promise<void> {
  const { chunks, qualities } = await evaluate(embed);
  for (const { ranking, recall, mrr, missed } of qualities) {
    console.log(
      `${name}, ${chunks} chunks, ${ranking}: recall@5 ${recall.toFixed(2)}, MRR ${mrr.toFixed(2)}`,
    );
    for (const question of missed) console.log(`  missed: ${question}`);
  }
}

await report('without a model', async (texts) => texts.map(embedLocally));
if (url && key && model) await report(model, embedderAt({ url, key, model }));
for (const line of measureLarge()) console.log(line);
