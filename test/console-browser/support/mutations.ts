import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { ask, url } from './service.ts';

const file = join(import.meta.dirname, '../../../console/dist/documents.json');
const documents = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

/** Runs are calls of models: they are in the logs, and not in the audit trail. */
const calls = ['AskAssistant', 'GoOn', 'CancelRun', 'AnswerTools'];

type Posted = {
  operationName?: string;
  extensions?: { persistedQuery?: { sha256Hash?: string } };
};

/** What a page has changed of what is administered: the name of each mutation, by the id of its request. */
export function watchMutations(page: Page): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  page.on('response', (response) => {
    const name = mutationIn(response.request());
    // What a test has answered in place of the service has no id.
    const id = response.headers()['x-request-id'];
    if (name !== null && id !== undefined) seen.set(id, name);
  });
  return seen;
}

function mutationIn(request: Request): string | null {
  if (request.url() !== `${url}/console/graphql`) return null;
  const { operationName = '', extensions } = request.postDataJSON() as Posted;
  const text = documents[extensions?.persistedQuery?.sha256Hash ?? ''] ?? '';
  return /^mutation /m.test(text) && !calls.includes(operationName) ? operationName : null;
}

const countEntries = `query ($from: DateTime!, $to: DateTime!, $id: String!) {
  auditLogs(startTime: $from, endTime: $to, filters: { requestId: $id }, pageSize: 0) { total }
}`;

/** Every change, done or refused, has left exactly one entry in the audit trail; a line for each that has not. */
export async function withoutEntry(mutations: ReadonlyMap<string, string>): Promise<string[]> {
  const hour = 3_600_000;
  const within = {
    from: new Date(Date.now() - hour).toISOString(),
    to: new Date(Date.now() + hour).toISOString(),
  };
  const wrong = [...mutations].map(async ([id, name]) => {
    const totals: number[] = [];
    try {
      await eventually(async () => {
        const { auditLogs } = await ask<{ auditLogs: { total: number } }>(countEntries, { ...within, id });
        totals.push(auditLogs.total);
        if (auditLogs.total !== 1) throw new Error(`${auditLogs.total} entries`);
      });
      return [];
    } catch {
      return [`${name} has left ${totals.at(-1)} entries in the audit trail, not one.`];
    }
  });
  return (await Promise.all(wrong)).flat();
}
