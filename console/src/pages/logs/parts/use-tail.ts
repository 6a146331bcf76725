import { useCallback, useEffect, useRef, useState } from 'react';
import type { GraphError } from '../../../data/graph-error.ts';
import { listen } from '../../../data/stream.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { setLive } from '../../../shell/frame/live-dot.tsx';
import { type LogFilters, LogTailDocument } from '../documents.ts';
import type { Line } from './line.ts';

/** Rows that came in while one was looking; older ones are found again by loading the list. */
const MAX_HELD = 2000;

type Tail = {
  /** What came in, the latest first, as far as it is shown. */
  shown: Line[];
  /** How many wait above the list, those that were not drawn included. */
  waiting: number;
  /** Of all that came in: requests, failures and US cents. */
  sums: { requests: number; errors: number; cost: number };
  /** Shows those that wait. */
  show(): void;
};

type TailOptions = {
  /** Null: nothing is listened to. */
  filters: LogFilters | null;
  /** Whether what comes in is shown at once, or waits above the list. */
  isAtTop: boolean;
  onResume(): void;
  onError(error: GraphError): void;
};

const noSums = { requests: 0, errors: 0, cost: 0 };

/** The logs that are written from now on, drawn at most four times a second. */
export function useTail({ filters, isAtTop, onResume, onError }: TailOptions): Tail {
  const workspace = useWorkspace();
  const [shown, setShown] = useState<Line[]>([]);
  const [waiting, setWaiting] = useState(0);
  const [sums, setSums] = useState(noSums);
  const held = useRef<Line[]>([]);
  const skipped = useRef(0);
  const counted = useRef(noSums);
  const latest = useRef({ isAtTop, onResume, onError });
  latest.current = { isAtTop, onResume, onError };

  const show = useCallback(() => {
    const arrived = held.current;
    held.current = [];
    skipped.current = 0;
    setWaiting(0);
    if (arrived.length > 0) setShown((before) => [...arrived.reverse(), ...before].slice(0, MAX_HELD));
  }, []);

  const key = JSON.stringify(filters);
  useEffect(() => {
    setShown([]);
    setWaiting(0);
    setSums(noSums);
    held.current = [];
    skipped.current = 0;
    counted.current = noSums;
    const wanted = JSON.parse(key) as LogFilters | null;
    if (wanted === null) return setLive('off');
    setLive('waiting');
    const stop = listen(
      LogTailDocument,
      { filters: wanted },
      {
        workspace,
        onEvent({ logsAdded: { data, skipped: unseen } }) {
          held.current.push(...data);
          const dropped = held.current.splice(0, held.current.length - MAX_HELD);
          skipped.current += unseen + dropped.length;
          const { requests, errors, cost } = counted.current;
          counted.current = {
            requests: requests + data.length + unseen,
            errors: errors + data.filter(({ isSuccess }) => !isSuccess).length,
            cost: data.reduce((sum, line) => sum + (line.cost ?? 0), cost),
          };
        },
        onState: (isLive) => setLive(isLive ? 'live' : 'waiting'),
        onResume: () => latest.current.onResume(),
        onError: (error) => latest.current.onError(error),
      },
    );
    const timer = setInterval(() => {
      if (held.current.length + skipped.current === 0) return;
      setSums(counted.current);
      if (latest.current.isAtTop) show();
      else setWaiting(held.current.length + skipped.current);
    }, 250);
    return () => {
      stop();
      clearInterval(timer);
      setLive('off');
    };
  }, [key, workspace, show]);

  return { shown, waiting, sums, show };
}
