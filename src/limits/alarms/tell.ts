import type { Alert } from '../../mail/index.ts';
import type { AuditEntry } from '../../recording/audit/entry.ts';
import type { WebhookMessage } from '../../webhooks/index.ts';
import type { LimitUnit } from '../limit.ts';
import type { LimitAlarmDocument } from './model.ts';

const NANODOLLARS = 1e9;
const words = {
  limit_threshold: { subject: 'has crossed its alert threshold', text: 'crossed its alert threshold' },
  limit_exhausted: { subject: 'is used up', text: 'is used up: calls under it are refused' },
  limit_reset: { subject: 'was set back', text: 'was set back by an administrator' },
  limit_overshoot: {
    subject: 'was passed',
    text: 'was passed: calls used more than could be reserved for them, such as those with images or audio',
  },
  limit_abandoned: {
    subject: 'is held in part by a silent process',
    text: 'is held in part by a process that is silent for half a minute: that part stays spent until the period ends, unless an administrator returns it',
  },
} as const;

/** The amount in dollars, tokens or requests. */
const inPublicUnit = (amount: number, unit: LimitUnit): number =>
  unit === 'cost' ? amount / NANODOLLARS : amount;

const shown = (amount: number, unit: LimitUnit): string => {
  const value = inPublicUnit(amount, unit);
  return unit === 'cost' ? `$${value.toFixed(2)}` : `${value.toLocaleString('en-US')} ${unit}`;
};

/** The same alarm for programs. */
export const messageOf = (alarm: LimitAlarmDocument): WebhookMessage => {
  const { _id, kind, organisationId, workspaceId, unit, until, threshold } = alarm;
  return {
    ...{ key: _id, event: kind, organisationId, workspaceId },
    data: {
      limit_id: alarm.limitId,
      limit_level: alarm.level,
      limit_name: alarm.limitName,
      value_key: alarm.valueKey,
      unit: unit === 'cost' ? 'dollars' : unit,
      used: inPublicUnit(alarm.used, unit),
      limit: inPublicUnit(alarm.amount, unit),
      alert_threshold: threshold === null ? null : inPublicUnit(threshold, unit),
      resets_at: until === null ? null : new Date(until).toISOString(),
    },
  };
};

const actions = {
  limit_threshold: 'threshold_crossed',
  limit_exhausted: 'exhausted',
  limit_reset: 'reset',
  limit_overshoot: 'passed',
  limit_abandoned: 'abandoned',
} as const;

/**
 * The same alarm of a policy for the audit trail, where the policy itself acts: nobody asked for it at this moment. A reset has
 * an entry of its own, of whoever asked for it.
 */
export function entryOf(alarm: LimitAlarmDocument): AuditEntry {
  const { _id, kind, organisationId, workspaceId, limitId, limitName, valueKey, unit } = alarm;
  const id = limitId.slice(limitId.indexOf(':') + 1);
  return {
    ...{ organisationId, workspaceId, userId: id, userName: `Limit of policy ${limitName}` },
    userType: 'api_key',
    // A rate comes back by itself and raises no alarm.
    resourceType: 'usage_limit_policy',
    action: actions[kind],
    ...{ targetId: id, targetName: limitName },
    changes: [{ member: valueKey || 'usage', before: null, after: inPublicUnit(alarm.used, unit) }],
    ...{ outcome: 'success', responseStatusCode: 200, method: '', uri: '', requestId: _id },
    ...{ requestBody: '{}', queryParams: '', requestHeaders: '{}', clientIp: '', userAgent: '' },
    timestamp: alarm.createdAt,
  };
}

/** The same alarm for people. */
export function mailOf(alarm: LimitAlarmDocument, to: readonly string[]): Alert {
  const { _id, kind, organisationId, workspaceId, level, limitName, valueKey, unit, until } = alarm;
  const name = `${level.replace('_', ' ')} "${limitName}"`;
  const { subject, text } = words[kind];
  return {
    ...{ event: _id, kind, organisationId, workspaceId, to },
    subject: `The limit of ${name} ${subject}`,
    text: [
      `The ${unit} limit of the ${name}${valueKey ? ` for ${valueKey}` : ''} ${text}.`,
      `Used: ${shown(alarm.used, unit)} of ${shown(alarm.amount, unit)}.`,
      until === null
        ? 'It does not begin anew by itself: raise it, or set its usage back.'
        : `It begins anew at ${new Date(until).toISOString()}.`,
    ].join('\n\n'),
  };
}
