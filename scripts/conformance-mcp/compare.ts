import { type CheckStatus, rankOf, type Scores } from './suite.ts';

/** Checks that come out worse through the gateway than at the server itself. */
export function worseChecks(direct: Scores, through: Scores): string[] {
  const faults: string[] = [];
  for (const [scenario, checks] of direct) {
    const found = through.get(scenario);
    if (found === undefined) {
      faults.push(`${scenario}: it was not tried through the gateway.`);
      continue;
    }
    for (const [id, status] of checks) {
      const said = found.get(id);
      // A server may answer in a form that has more to be checked.
      if (status === 'SUCCESS' && (said === undefined || isWorse(said, status)))
        faults.push(`${scenario}: ${id} is ${said ?? 'missing'}, and ${status} at the server.`);
      else if (said && status !== 'SUCCESS' && isWorse(said, status))
        faults.push(`${scenario}: ${id} is ${said}, and ${status} at the server.`);
    }
    for (const [id, status] of found)
      if (status === 'FAILURE' && !checks.has(id))
        faults.push(`${scenario}: ${id} is FAILURE, and was not found at the server.`);
  }
  return faults;
}

/** Information is no judgement. */
const isWorse = (said: CheckStatus, status: CheckStatus): boolean =>
  (said === 'FAILURE' || said === 'WARNING') && rankOf(said) < rankOf(status);

/** Both columns: how many checks of a scenario succeed at the server, and through the gateway. */
export function tableOf(direct: Scores, through: Scores): string {
  const names = [...new Set([...direct.keys(), ...through.keys()])].sort();
  const width = Math.max(...names.map(({ length }) => length));
  const line = (name: string, ...columns: string[]) =>
    [name.padEnd(width), ...columns.map((column) => column.padStart(9))].join(' ');
  const rows = names.map((name) => line(name, scoreOf(direct.get(name)), scoreOf(through.get(name))));
  return [
    line('scenario', 'direct', 'through'),
    ...rows,
    line('all checks', totalOf(direct), totalOf(through)),
  ].join('\n');
}

const judged = (checks: ReadonlyMap<string, CheckStatus> | undefined): CheckStatus[] =>
  [...(checks?.values() ?? [])].filter((status) => status !== 'INFO' && status !== 'SKIPPED');

const fraction = (found: readonly CheckStatus[]): string =>
  `${found.filter((status) => status === 'SUCCESS').length}/${found.length}`;

const scoreOf = (checks: ReadonlyMap<string, CheckStatus> | undefined): string => fraction(judged(checks));

const totalOf = (scores: Scores): string => fraction([...scores.values()].flatMap(judged));
