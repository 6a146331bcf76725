// Writes what is generated: from the SDL under schema/ its types and those of each subgraph's resolvers; from the SDL and
// rest-compat/operations/ the digest of the published REST API; docs/reference/ from the code that it describes. `--check`
// only compares, and fails when something differs. From the console's documents it writes files that nobody commits, also
// with `--check`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { changesBetween } from './codegen/changes.ts';
import { consoleDocuments } from './codegen/console/index.ts';
import { digestOf } from './codegen/digest.ts';
import { published } from './codegen/published.ts';
import { resolverTypes } from './codegen/resolver-types.ts';
import { publicDocument, subgraphDocuments } from './codegen/schema.ts';
import { schemaTypes } from './codegen/schema-types.ts';
import { switchSchema } from './codegen/switch-schema.ts';
import { referencePages } from './reference/index.ts';

const root = new URL('../', import.meta.url);
const types = 'src/subgraphs/types.generated.ts';

type Output = { path: string; text: string };

// The other outputs are made from the SDL, of which this is a part.
settle(switchSchema());
const document = publicDocument();
const outputs = [
  { path: types, text: await schemaTypes(document, types) },
  ...(await Promise.all(
    subgraphDocuments().map(async (subgraph) => {
      const path = `src/subgraphs/${subgraph.name}/resolvers.generated.ts`;
      return { path, text: await resolverTypes(subgraph, path) };
    }),
  )),
  { path: 'rest-compat/published.txt', text: digestOf(published(document)) },
  ...referencePages(),
];

outputs.forEach(settle);
for (const { path, text } of await consoleDocuments(document)) writeFileSync(new URL(path, root), text);

function settle({ path, text }: Output): void {
  const file = new URL(path, root);
  const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (present === text) return;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
    return;
  }
  console.error(`${path} does not match what it is made from. After a wanted change: npm run codegen.`);
  console.error(changesBetween(present, text).slice(0, 40).join('\n'));
  process.exitCode = 1;
}
