// Compares every REST operation with the contract in a folder (operations.json, resources.json): path, method, bases,
// scope, query, body, answer. Fails on a deviation that scripts/contract/exceptions.ts does not give a reason for, and
// on an exception that is none any more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicDocument } from './codegen/schema.ts';
import { pathDeviations } from './contract/administration.ts';
import { checkContract } from './contract/check.ts';
import { exceptions } from './contract/exceptions.ts';
import { ownInference, ownOperations } from './contract/own-operations.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run contract -- <folder with operations.json and resources.json>');
  process.exit(1);
}
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const contract = { operations: read('operations.json'), shapes: read('resources.json').shapes };

const document = publicDocument();
const own = [...ownOperations(document), ...ownInference(document)];
const { served, found, unexplained, idle } = checkContract(contract, own, exceptions);
for (const line of unexplained) console.error(line);
for (const { deviation } of idle) console.error(`No deviation any more, so no exception: ${deviation}`);
console.log(
  `${served} of ${contract.operations.length} operations of the contract are served; ${found.length} deviations, ` +
    `${unexplained.length} without a reason.`,
);
const listed = JSON.parse(
  readFileSync(new URL('../test/contract/administration-paths.json', import.meta.url), 'utf8'),
);
const unlisted = pathDeviations(contract, listed);
for (const line of unlisted) console.error(`test/contract/administration-paths.json: ${line}`);
if (unexplained.length + idle.length + unlisted.length > 0) process.exitCode = 1;
