import type { Gauge } from '../../../lib/gauge.ts';
import type { LogThread } from './log-thread.ts';

/** What becomes of the request logs and spans of this process. */
export const requestLogGauges = (requestLog: Pick<LogThread, 'counters' | 'spans'>): Gauge[] => [
  {
    name: 'sluice_request_log_waiting',
    help: 'Request logs waiting to be written.',
    read: () => requestLog.counters.waiting,
  },
  {
    name: 'sluice_request_log_written',
    help: 'Request logs written to the database.',
    read: () => requestLog.counters.written,
  },
  {
    name: 'sluice_request_log_spooled',
    help: 'Request logs that went to disk on their way to the database.',
    read: () => requestLog.counters.spooled,
  },
  {
    name: 'sluice_request_log_dropped',
    help: 'Request logs that were lost.',
    read: () => requestLog.counters.dropped,
  },
  {
    name: 'sluice_trace_spans_total',
    help: 'Spans for the trace collector: exported, failed, or dropped since too many waited.',
    kind: 'counter',
    label: 'outcome',
    read: () => Object.entries(requestLog.spans),
  },
];
