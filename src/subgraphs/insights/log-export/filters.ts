import type { Connection, QueryFilter } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';
import { findLogQuery } from '../log-filters/index.ts';
import type { StoredFilters } from './model.ts';

type Owner = { organisationId: string; workspaceId: string };

const MAX_VALUES = 100;

/** The query for an export's logs, whatever its page; throws VALIDATION_FAILED naming the filter that is at fault. */
export async function exportQuery(
  db: Connection,
  { organisationId, workspaceId }: Owner,
  filters: StoredFilters,
): Promise<QueryFilter<LogRecord>> {
  const owner = { organisationId, workspaceId };
  const { statusCode, virtualKeys, configs, aiOrgModel, aiModel, ...rest } = filters;
  const query = await findLogQuery(db, owner, {
    ...rest,
    statusCode: listed(statusCode, 'statusCode')?.map(statusOf),
    virtualKeys: listed(virtualKeys, 'virtualKeys'),
    configs: listed(configs, 'configs'),
    aiOrgModel: listed(aiOrgModel, 'aiOrgModel'),
  });
  const models = listed(aiModel, 'aiModel');
  return { $and: [owner, query, ...(models ? [{ aiModel: { $in: models } }] : [])] };
}

const invalid = (name: string, problem: string) => {
  const param = `input.filters.${name}`;
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
