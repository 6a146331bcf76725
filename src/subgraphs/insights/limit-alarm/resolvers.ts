import type { LimitAlarmDocument } from '../../../limits/alarms/index.ts';
import type { SubscriptionResolvers } from '../../subgraph.ts';
import type { SubscriptionLimitAlarmRaisedArgs } from '../../types.generated.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { limitAlarmsRaised, listLimitAlarms } from './service.ts';

const NANODOLLARS = 1e9;
const shown = ({ unit }: LimitAlarmDocument, amount: number): number =>
  unit === 'cost' ? amount / NANODOLLARS : amount;

export const resolvers = {
  Query: { limitAlarms: (_parent, args, context) => listLimitAlarms(context, args) },
  Subscription: {
    limitAlarmRaised: (_parent, { workspaceId }: SubscriptionLimitAlarmRaisedArgs, context) =>
      limitAlarmsRaised(context, workspaceId),
  },
  LimitAlarm: {
    id: ({ _id }) => _id,
    used: (alarm) => shown(alarm, alarm.used),
    amount: (alarm) => shown(alarm, alarm.amount),
    threshold: (alarm) => (alarm.threshold === null ? null : shown(alarm, alarm.threshold)),
    resetsAt: ({ until }) => (until === null ? null : new Date(until)),
  },
} satisfies Resolvers & SubscriptionResolvers;
