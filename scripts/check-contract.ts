// Compares every REST operation with the contract in a folder (operations.json, resources.json): path, method, bases,
// scope, query, body, answer. Fails on a deviation that scripts/contract/exceptions.ts does not give a reason for, and
// on an exception that is none any more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicDocument } from './codegen/schema.ts';
import { exceptions } from './contract/exceptions.ts';
import { type ContractOperation, operationDeviations } from './contract/operation.ts';
import { ownOperations } from './contract/own-operations.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run contract -- <folder with operations.json and resources.json>');
  process.exit(1);
}
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const contract: ContractOperation[] = read('operations.json');
const { shapes } = read('resources.json');

const own = ownOperations(publicDocument());
const found = own.flatMap(({ name, method, path, ...ours }) => {
  const row = contract.find((candidate) => candidate.method === method && candidate.path === path);
  if (!row) return [`${name} ${method} ${path}: not in the contract`];
  const renamed = row.operation_id === name ? [] : [`${row.operation_id} name: ${name}`];
  return [...renamed, ...operationDeviations(row, ours, shapes)];
});

const matches = (pattern: string, line: string): boolean => {
  const [start = '', ...rest] = pattern.split('*');
  if (!line.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest) {
    const next = part === '' ? line.length : line.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return at >= line.length;
};

const unexplained = found.filter((line) => !exceptions.some(({ deviation }) => matches(deviation, line)));
const idle = exceptions.filter(({ deviation }) => !found.some((line) => matches(deviation, line)));
for (const line of unexplained) console.error(line);
for (const { deviation } of idle) console.error(`No deviation any more, so no exception: ${deviation}`);
console.log(
  `${own.length} of ${contract.length} operations of the contract are served; ${found.length} deviations, ` +
    `${unexplained.length} without a reason.`,
);
if (unexplained.length + idle.length > 0) process.exitCode = 1;
