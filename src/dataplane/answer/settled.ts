import type { Capture } from '../../recording/log/answers/capture.ts';
import type { UpstreamFailure, UpstreamHeaders } from '../send/upstream.ts';

/** What one request to a provider came to. */
export type AttemptResult = {
  /** The provider's status, or that of the error with which its stream began; 0 when it gave none. */
  status: number;
  headers: UpstreamHeaders;
  relayed: boolean;
  failure: UpstreamFailure | null;
  cause: Error | null;
  /** What was wrong with an answer that came to its end; null for a sound one. */
  defect: string | null;
  /** Milliseconds to the first byte of the body; null when there was none. */
  firstByte: number | null;
};

/** What the last attempt of a leg came to. */
export type Settled = {
  result: AttemptResult;
  /** The provider's, or the one that stands for its silence. */
  status: number;
  capture: Capture;
  retryCount: number;
  /** What was captured has no stored credential in it any more. */
  isMasked: boolean;
  /** The caller has its answer, or is gone. */
  relayed: boolean;
  /** On the clock of `performance.now()`. */
  endedAt: number;
};
