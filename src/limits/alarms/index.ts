import type { Connection } from 'mongoose';
import type { Logger } from '../../lib/logger.ts';
import type { Outbox } from '../../mail/index.ts';
import type { AuditTrail } from '../../recording/audit/trail.ts';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import { createDuty, type Duty } from '../../storage/duty.ts';
import type { Events } from '../../storage/events/index.ts';
import type { Leases } from '../../storage/leases.ts';
import type { Webhooks } from '../../webhooks/index.ts';
import type { Slot } from '../ledger/slot.ts';
import type { Limit } from '../limit.ts';
import { crossedBy } from './crossed.ts';
import { type LimitAlarmDocument, type LimitAlarmKind, limitAlarmModel } from './model.ts';
import { entryOf, mailOf, messageOf } from './tell.ts';

export { type LimitAlarmDocument, type LimitAlarmKind, limitAlarmKinds, limitAlarmModel } from './model.ts';

/** An alarm that nobody has written down yet. */
export type NewLimitAlarm = Omit<LimitAlarmDocument, 'isTold' | 'createdAt' | 'expiresAt'>;

type Options = {
  db: Connection;
  mail: Pick<Outbox, 'sendAlert'>;
  webhooks: Pick<Webhooks, 'publish'>;
  events: Pick<Events, 'append'>;
  /** Who is told by mail. */
  recipientsOf(alarm: LimitAlarmDocument): Promise<string[]>;
  /** What happened to a policy goes there too. */
  audit: Pick<AuditTrail, 'record'>;
  leases: Leases;
  now: () => Date;
  log: Logger;
};

export type LimitAlarms = {
  /** Writes an alarm down; who is told of it is told soon after, by some process. */
  raise(alarm: NewLimitAlarm): Promise<void>;
  /** Looks whether what was read of a counter is cause for an alarm. */
  watch(slot: Slot): void;
};

/** Days for which alarms are kept. */
const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
/** Alarms that are read at a time. */
const BATCH = 50;

/** What happens to limits, told once to people, programs and subscribers, however many processes see it. */
export function createLimitAlarms(options: Options): LimitAlarms & Pick<Duty, 'start' | 'stop'> {
  const { db, now, log } = options;
  const model = limitAlarmModel(db);
  /** Ids of what this process has written down for a counter; another window is another counter. */
  const raised = new WeakMap<Slot, Set<string>>();
  const duty = createDuty({
    ...options,
    name: 'limit alarms',
    isDue: async () => (await model.exists({ isTold: false })) !== null,
    work: (signal) => tellAll(options, signal),
  });

  async function raise(alarm: NewLimitAlarm): Promise<void> {
    const createdAt = now();
    const expiresAt = new Date(createdAt.getTime() + KEPT_DAYS * DAY_MS);
    try {
      await model.create({ ...alarm, isTold: false, createdAt, expiresAt });
    } catch (error) {
      // Another process saw it first.
      if (!isDuplicateBatch(error)) throw error;
    }
    duty.wake();
  }

  async function raiseOf(slot: Slot, kind: LimitAlarmKind, seen: Set<string>): Promise<void> {
    const alarm = alarmOf(slot, kind);
    if (seen.has(alarm._id)) return;
    seen.add(alarm._id);
    await raise(alarm).catch((error: unknown) => {
      // The next look at the counter tries again.
      seen.delete(alarm._id);
      log.warn({ error, limit: alarm.limitId, kind }, 'An alarm of a limit could not be written down yet.');
    });
  }

  return {
    start: duty.start,
    stop: duty.stop,
    raise,
    watch(slot) {
      const kinds = crossedBy(slot);
      if (kinds.length === 0) return;
      const seen = raised.get(slot) ?? new Set();
      raised.set(slot, seen);
      for (const kind of kinds) void raiseOf(slot, kind, seen);
    },
  };
}

/** Names an alarm of a counter: what is set back, or given another amount, may cross it again, and more may be abandoned. */
export function alarmId(
  counterId: string,
  kind: LimitAlarmKind,
  gen: number,
  {
    alertThreshold,
    amount,
    abandoned = 0,
  }: Pick<Limit, 'alertThreshold' | 'amount'> & { abandoned?: number },
): string {
  const about = kind === 'limit_threshold' ? alertThreshold : kind === 'limit_abandoned' ? abandoned : amount;
  return `${counterId}:${kind}:${gen}:${about}`;
}

function alarmOf({ id, limit, known, valueKey, span }: Slot, kind: LimitAlarmKind): NewLimitAlarm {
  const { organisationId, workspaceId, level, unit, amount, alertThreshold, alertEmails } = limit;
  const { gen = 0, abandoned = 0 } = known ?? {};
  const _id = alarmId(id, kind, gen, { alertThreshold, amount, abandoned });
  return {
    ...{ _id, kind, organisationId, workspaceId, level, unit, amount, alertEmails, valueKey },
    limitId: limit.id,
    counterId: id,
    limitName: limit.name,
    used: known?.fill ?? 0,
    threshold: alertThreshold,
    until: span.until,
  };
}

/** What a crash keeps from being noted is told again under the same names, by which it is known. */
async function tellAll(options: Options, signal: AbortSignal): Promise<void> {
  const { db, mail, webhooks, events, audit, recipientsOf } = options;
  const model = limitAlarmModel(db);
  while (!signal.aborted) {
    const alarms = await model.find({ isTold: false }).limit(BATCH).lean<LimitAlarmDocument[]>();
    for (const alarm of alarms) {
      const { _id, organisationId, workspaceId } = alarm;
      await webhooks.publish(messageOf(alarm));
      await mail.sendAlert(mailOf(alarm, await recipientsOf(alarm)));
      if (alarm.level === 'policy' && alarm.kind !== 'limit_reset') await audit.record(entryOf(alarm));
      events.append({ kind: 'limit_alarm', organisationId, workspaceId, ids: [_id] });
      await model.updateOne({ _id }, { isTold: true });
    }
    if (alarms.length < BATCH) return;
  }
}
