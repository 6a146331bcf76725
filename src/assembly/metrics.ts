import { type Throttle, throttleGauge } from '../auth/index.ts';
import { dataplaneGauges } from '../dataplane/gauges.ts';
import type { Realtime } from '../dataplane/realtime/index.ts';
import { graphGauges } from '../graph/index.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { type BodyBudget, bodyGauge } from '../lib/bodies/index.ts';
import type { RunningLimits } from '../limits/engine/index.ts';
import { requestLogGauges } from '../recording/log/thread/gauges.ts';
import { secretGauge } from '../secret-managers/memory.ts';
import { type Changes, changesGauge } from '../storage/changes.ts';
import type { createDoors } from './doors/doors.ts';
import type { createInference } from './inference.ts';

type Measured = Pick<ReturnType<typeof createDoors>, 'subscriptions' | 'remotes'> & {
  inference: ReturnType<typeof createInference>;
  realtime: Realtime;
  requestLog: Parameters<typeof requestLogGauges>[0] & { metrics: Parameters<typeof createMetrics>[1] };
  limits: Pick<RunningLimits, 'gauges'>;
  changes: Changes;
  bodies: BodyBudget;
  throttle: Throttle;
  mcpMetrics: Parameters<typeof createMetrics>[2][number];
};

/** All that `/metrics` tells. */
export function createAppMetrics({
  inference,
  realtime,
  requestLog,
  limits,
  subscriptions,
  remotes,
  changes,
  bodies,
  throttle,
  mcpMetrics,
}: Measured): Metrics {
  const open = () => subscriptions.reduce((sum, each) => sum + each.open(), 0);
  return createMetrics(
    [
      ...dataplaneGauges({ ...inference, realtime }),
      ...requestLogGauges(requestLog),
      ...limits.gauges,
      ...graphGauges({ open }, remotes),
      changesGauge(changes),
      secretGauge(inference.secretMemory),
      bodyGauge(bodies),
      throttleGauge(throttle),
    ],
    requestLog.metrics,
    [mcpMetrics],
  );
}
