// Keeps the resources of an organisation in files: `npm run sluice -- export | diff | apply | validate`. docs/config-as-code.md
// says how. It knows the service by its address and a credential alone.
import { parseArgs } from 'node:util';
import { parseDocuments } from '../src/subgraphs/identity/bundle/index.ts';
import { applyFiles } from './sluice/apply.ts';
import { exportAssistants, importAssistants } from './sluice/assistants.ts';
import { connect } from './sluice/client.ts';
import { readDocuments, writeDocuments } from './sluice/files.ts';
import { planFiles } from './sluice/plan.ts';

const usage = `Usage:
  sluice export [--kind <kind>]... [--bundle <label>]     prints what the credential may list, as YAML
  sluice diff <file>... [--prune]                         says what an apply would do; ends with 2 where it would do something
  sluice apply <file>... [--prune] [--dry-run] [--secrets-out <file>]
  sluice validate <file>...                               checks documents without a service
  sluice export-assistants <file>                         writes assistants, threads, messages and runs of a workspace, a JSON line each
  sluice import-assistants <file>                         stores such lines under their ids; ends with 1 where it refuses some

A file may be -, for standard input. SLUICE_URL says where the service is; the credential is SLUICE_API_KEY, or SLUICE_CLIENT_ID,
SLUICE_CLIENT_SECRET and SLUICE_TSG_ID. SLUICE_WORKSPACE_ID names a workspace where the credential has several.`;

const options = {
  kind: { type: 'string', multiple: true },
  bundle: { type: 'string' },
  prune: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'secrets-out': { type: 'string' },
} as const;

/** What a command ends with: 0 for done, 1 for a failure, 2 where something differs. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command, ...files] = positionals;
  const { env } = process;
  if (command === 'export' && files.length === 0) {
    const ask = await connect(env);
    const { documents, leftOut } = await ask<{ documents: unknown[]; leftOut: string[] }>(
      'query ($kinds: [BundleKind!], $bundle: String) { result: exportBundle(kinds: $kinds, bundle: $bundle) { documents leftOut } }',
      { kinds: values.kind ?? null, bundle: values.bundle ?? null },
    );
    process.stdout.write(writeDocuments(documents));
    if (leftOut.length > 0)
      console.error(`Left out, since the credential may not list them: ${leftOut.join(', ')}.`);
    return 0;
  }
  const [file] = files;
  if (command === 'export-assistants' && file !== undefined) return exportAssistants(env, file);
  if (command === 'import-assistants' && file !== undefined) return importAssistants(env, file);
  if (files.length === 0 || !['diff', 'apply', 'validate'].includes(command ?? '')) throw new Error(usage);
  const documents = await readDocuments(files);
  if (command === 'validate') {
    parseDocuments(documents);
    console.error(`${documents.length} documents are valid.`);
    return 0;
  }
  const given = { documents, prune: values.prune === true };
  const ask = await connect(env);
  if (command === 'diff' || values['dry-run']) {
    const { changes } = await planFiles(ask, given, env);
    return command === 'diff' && changes.length > 0 ? 2 : 0;
  }
  return applyFiles(ask, given, env, values['secrets-out'] ?? null);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
