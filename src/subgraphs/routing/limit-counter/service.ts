import type { QueryFilter } from 'mongoose';
import { type Principal, requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { NewLimitAlarm } from '../../../limits/alarms/index.ts';
import type { CounterDocument } from '../../../limits/counters/document.ts';
import {
  type CounterReport,
  counterReport,
  limitCounterModel,
  resetCounter,
  returnAbandoned,
} from '../../../limits/engine/index.ts';
import type { LimitLevel, LimitUnit } from '../../../limits/limit.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import type { GraphContext } from '../../context.ts';
import { requireLimitSetter } from '../../identity/api-key/index.ts';
import { findPage, type PageArguments } from '../../page.ts';
import type { QueryLimitCountersArgs, QueryLimitHistoryArgs } from '../../types.generated.ts';

/** Limits above what a workspace administers itself. */
const fromAbove: ReadonlySet<string> = new Set(['organisation', 'workspace', 'integration']);

export const levelOf = ({ limitId }: Pick<CounterDocument, 'limitId'>): LimitLevel =>
  limitId.slice(0, limitId.indexOf(':')) as LimitLevel;

/** The counters of a limit that the credential reaches, in one period. */
export async function listCounters(
  context: GraphContext,
  { limitId, status, search, at, ...page }: QueryLimitCountersArgs & PageArguments,
): Promise<{ total: number; data: CounterReport[] }> {
  const principal = requireScope(context.principal, ['policies.read']);
  const moment = (at ?? context.now()).getTime();
  const { total, data } = await findPage<CounterDocument>(
    limitCounterModel(context.db),
    {
      ...tenantFilter(principal),
      limitId,
      $or: [{ from: null }, { from: { $lte: moment }, until: { $gt: moment } }],
      ...(status && { $expr: { [status === 'exhausted' ? '$gte' : '$lt']: ['$fill', '$cap'] } }),
      ...(search && { valueKey: { $regex: escaped(search), $options: 'i' } }),
    } as QueryFilter<CounterDocument>,
    page,
    { by: { valueKey: 1, _id: 1 } },
  );
  return { total, data: data.map((raw) => counterReport(raw, Date.now())) };
}

/** The counters of one value of a limit that the credential reaches, in every period that is kept. */
export async function listHistory(
  context: GraphContext,
  { limitId, valueKey, ...page }: QueryLimitHistoryArgs & PageArguments,
): Promise<{ total: number; data: CounterReport[] }> {
  const principal = requireScope(context.principal, ['policies.read']);
  const { total, data } = await findPage<CounterDocument>(
    limitCounterModel(context.db),
    { ...tenantFilter(principal), limitId, valueKey } as QueryFilter<CounterDocument>,
    page,
    { by: { from: -1, _id: -1 } },
  );
  return { total, data: data.map((raw) => counterReport(raw, Date.now())) };
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The counter does not exist.' });

/** Sets what a counter has counted back to nothing. */
export async function resetOne(context: GraphContext, id: string): Promise<CounterReport> {
  const counter = await counterToChange(context, id);
  const change = await resetCounter(nativeDb(context.db), counter.organisationId, id);
  if (!change) throw notFound();
  await context.limitAlarms.raise(resetAlarm(counter, change.before));
  return readCounter(context, id);
}

/** Gives back what processes hold that have been silent for long. */
export async function returnHeld(context: GraphContext, id: string): Promise<CounterReport> {
  const { organisationId } = await counterToChange(context, id);
  const returned = await returnAbandoned(nativeDb(context.db), organisationId, id);
  if (returned === null) throw notFound();
  return readCounter(context, id);
}

async function readCounter(context: GraphContext, id: string): Promise<CounterReport> {
  const principal = requireScope(context.principal, ['policies.update']);
  const found = await limitCounterModel(context.db)
    .findOne({ _id: id, ...tenantFilter(principal) })
    .lean<CounterDocument>();
  if (!found) throw notFound();
  return counterReport(found, Date.now());
}

async function counterToChange(context: GraphContext, id: string): Promise<CounterReport> {
  const counter = await readCounter(context, id);
  await requireLimitSetter(context);
  requireReach(context.principal, levelOf(counter));
  return counter;
}

/** Who is bound to a workspace does not lift its limits, and who administers their own keys alone not those of a key. */
function requireReach(principal: Principal | null, level: LimitLevel): void {
  const isBound = principal?.workspaceId !== null && !principal?.scopes.has('workspaces.create');
  if (fromAbove.has(level) && isBound)
    throw new GatewayError('FORBIDDEN', {
      message: `The usage of ${level === 'workspace' ? 'a' : 'an'} ${level} is set back by a credential of the organisation.`,
    });
  if (level === 'api_key' && principal?.ownOnly?.has('api keys'))
    throw new GatewayError('FORBIDDEN', {
      message: 'The usage of an API key is set back by whoever administers the keys of others.',
    });
}

/** The counter alone is known here, and not what its limit is called. */
function resetAlarm(counter: CounterReport, used: number): NewLimitAlarm {
  const { _id, organisationId, workspaceId, limitId, unit, cap, gen, valueKey, until } = counter;
  return {
    _id: `${_id}:limit_reset:${gen}`,
    ...{ kind: 'limit_reset', organisationId, workspaceId, limitId, valueKey, used, until },
    ...{ counterId: _id, level: levelOf(counter), unit: unit as LimitUnit, amount: cap },
    ...{ limitName: limitId.split(':')[1] ?? limitId, threshold: null, alertEmails: [] },
  };
}
