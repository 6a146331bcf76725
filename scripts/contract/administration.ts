import type { Contract } from './check.ts';

/** Each path with its methods. */
export type Paths = Record<string, readonly string[]>;

/** The administration's rows of the contract: inference is served below `/v1` alone, administration on other bases too. */
const administrationOf = ({ operations }: Contract) =>
  operations.filter(({ surfaces }) => surfaces.some(({ base }) => base !== 'v1'));

/**
 * What a list of the administration's paths lacks of the contract, and what it has beyond it: from this list a test knows
 * which requests must reach no provider.
 */
export function pathDeviations(contract: Contract, listed: Paths): string[] {
  const inContract = new Set(administrationOf(contract).map(({ method, path }) => `${method} ${path}`));
  const inList = new Set(
    Object.entries(listed).flatMap(([path, methods]) => methods.map((method) => `${method} ${path}`)),
  );
  return [
    ...[...inContract].filter((row) => !inList.has(row)).map((row) => `${row}: not in the list of paths`),
    ...[...inList]
      .filter((row) => !inContract.has(row))
      .map((row) => `${row}: listed, but not in the contract`),
  ];
}
