import type { Exception } from './exceptions.ts';
import type { Shapes } from './notation.ts';
import { type ContractOperation, type OwnOperation, operationDeviations } from './operation.ts';

export type Contract = { operations: ContractOperation[]; shapes: Shapes };

export type Checked = {
  /** Operations of the contract that are there. */
  served: number;
  found: string[];
  /** Deviations that no exception gives a reason for. */
  unexplained: string[];
  /** Exceptions that are none any more. */
  idle: Exception[];
};

type Own = OwnOperation & { name: string; method: string; path: string };

/** Where the operations deviate from the contract, one line each. */
export function checkContract(
  { operations, shapes }: Contract,
  own: Own[],
  exceptions: Exception[],
): Checked {
  const found = own.flatMap(({ name, method, path, ...ours }) => {
    const row = operations.find((candidate) => candidate.method === method && candidate.path === path);
    if (!row) return [`${name} ${method} ${path}: not in the contract`];
    const renamed = row.operation_id === name ? [] : [`${row.operation_id} name: ${name}`];
    return [...renamed, ...operationDeviations(row, ours, shapes)];
  });
  const isServed = ({ method, path }: ContractOperation) =>
    own.some((candidate) => candidate.method === method && candidate.path === path);
  return {
    served: operations.filter(isServed).length,
    found,
    unexplained: found.filter((line) => !exceptions.some(({ deviation }) => matches(deviation, line))),
    idle: exceptions.filter(({ deviation }) => !found.some((line) => matches(deviation, line))),
  };
}

/** `*` in the pattern stands for anything. */
function matches(pattern: string, line: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w ]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}
