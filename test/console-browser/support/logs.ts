import { ask } from './service.ts';

type Log = { cost: number | null; aiModel: string };
type Logs = { logHistory: { hasMore: boolean; lastId: string; data: Log[] } };

/** All logs between two times, one after the other. */
export async function logsOf({ from, to }: { from: string; to: string }): Promise<Log[]> {
  const logs: Log[] = [];
  let after: string | null = null;
  for (;;) {
    const { logHistory }: Logs = await ask<Logs>(
      `query ($filters: LogFilters, $after: ID) {
        logHistory(filters: $filters, limit: 100, after: $after) { hasMore lastId data { cost aiModel } } }`,
      { filters: { timeOfGenerationMin: from, timeOfGenerationMax: to }, after },
    );
    logs.push(...logHistory.data);
    if (!logHistory.hasMore) return logs;
    after = logHistory.lastId;
  }
}

/** US dollars that logs have cost. */
export const costOf = (logs: readonly Log[]): number =>
  logs.reduce((sum, { cost }) => sum + (cost ?? 0), 0) / 100;

/** An amount as pages show it. */
export const dollars = (text = ''): number => Number(text.replace(/[$,]/g, ''));
