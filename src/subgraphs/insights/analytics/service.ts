import type { GraphContext } from '../../context.ts';
import type { QueryAnalyticsArgs } from '../../types.generated.ts';
import { collectMetadataKeys, collectSeries, collectUsers, type Series, type UserSeries } from './collect.ts';
import { feedbackOf, type Given } from './feedback.ts';
import { once } from './once.ts';
import { type AnalyticsScope, scopeOf } from './scope.ts';

/** What graphs of one window are made of; each is read once, when the first graph asks for it. */
export type Analytics = {
  scope: AnalyticsScope;
  series: () => Promise<Series>;
  /** With histograms of response times. */
  latencySeries: () => Promise<Series>;
  users: () => Promise<UserSeries>;
  feedback: () => Promise<Given[]>;
  metadataKeys: () => Promise<string[]>;
};

export async function openAnalytics(context: GraphContext, args: QueryAnalyticsArgs): Promise<Analytics> {
  const scope = await scopeOf(context, args, 'analytics.view');
  return {
    scope,
    series: once(() => collectSeries(scope, { latencies: false })),
    latencySeries: once(() => collectSeries(scope, { latencies: true })),
    users: once(() => collectUsers(scope)),
    feedback: once(() => feedbackOf(scope)),
    metadataKeys: once(() => collectMetadataKeys(scope)),
  };
}
