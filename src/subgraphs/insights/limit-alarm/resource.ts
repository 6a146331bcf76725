import { limitAlarmModel } from '../../../limits/alarms/index.ts';
import type { Resource } from '../../subgraph.ts';
import { resolvers } from './resolvers.ts';

export const limitAlarm: Resource = { name: 'limit-alarm', models: [limitAlarmModel], resolvers };
