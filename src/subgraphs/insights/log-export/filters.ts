import type { Connection, QueryFilter } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { searchedIds } from '../log/index.ts';
import { findLogQuery } from '../log-filters/index.ts';
import type { LogExportDocument, StoredFilters } from './model.ts';

/** What says which logs an export has, its page apart. */
export type SelectedLogs = Pick<
  LogExportDocument,
  'organisationId' | 'workspaceId' | 'filters' | 'startedAt' | 'reader'
>;

const PLACE = 'input.filters';

const MAX_VALUES = 100;

/** The query for an export's logs, whatever its page; throws VALIDATION_FAILED naming the filter that is at fault. */
export async function exportQuery(
  db: Connection,
  { organisationId, workspaceId, filters, startedAt, reader }: SelectedLogs,
  signal?: AbortSignal,
): Promise<QueryFilter<LogRecord>> {
  const owner = { organisationId, workspaceId };
  const query = {
    $and: [
      owner,
      await filteredQuery(db, owner, filters),
      // Logs that come in meanwhile would have no end.
      ...(startedAt ? [{ createdAt: { $lte: startedAt } }] : []),
    ],
  };
  if (filters.search == null) return query;
  const principal = reader ? { ...owner, id: reader.id, scopes: new Set(reader.scopes) } : null;
  const searching = { db, principal, ...(signal && { signal }) };
  const ids = await searchedIds(searching, query, filters.search, `${PLACE}.search`);
  return { $and: [query, { _id: { $in: ids } }] };
}

async function filteredQuery(
  db: Connection,
  owner: { organisationId: string; workspaceId: string },
  filters: StoredFilters,
): Promise<QueryFilter<LogRecord>> {
  const { statusCode, virtualKeys, configs, aiOrgModel, aiModel, ...rest } = filters;
  const asList = {
    ...rest,
    statusCode: listed(statusCode, 'statusCode')?.map(statusOf),
    virtualKeys: listed(virtualKeys, 'virtualKeys'),
    configs: listed(configs, 'configs'),
    aiOrgModel: listed(aiOrgModel, 'aiOrgModel'),
  };
  const query = await findLogQuery(db, owner, asList, PLACE);
  const models = listed(aiModel, 'aiModel');
  return models ? { $and: [query, { aiModel: { $in: models } }] } : query;
}

const invalid = (name: string, problem: string) => {
  const param = `${PLACE}.${name}`;
  return invalidInput(param, `${param} ${problem}`);
};

/** The values of a text with commas; null for none. */
function listed(text: string | null | undefined, name: string): string[] | null {
  if (text == null || text === '') return null;
  const values = text.split(',').map((value) => value.trim());
  if (values.length > MAX_VALUES) throw invalid(name, `names at most ${MAX_VALUES}.`);
  return values;
}

function statusOf(text: string): number {
  if (!/^[1-9]\d\d$/.test(text)) throw invalid('statusCode', 'names status codes, e.g. 200,429.');
  return Number(text);
}
