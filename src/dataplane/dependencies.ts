import type { Sleep } from '../auth/index.ts';
import type { HostPolicy } from '../lib/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import type { RequestLog } from '../recording/request-log.ts';
import type { Settings } from '../settings.ts';
import type { DoorAuthenticate } from './authenticate.ts';
import type { Directory } from './directory.ts';
import type { HttpUpstream } from './upstream/http.ts';

export type DataplaneDependencies = {
  authenticate: DoorAuthenticate;
  directory: Directory;
  http: HttpUpstream;
  hostPolicy: HostPolicy;
  requestLog: RequestLog;
  /** Bytes of each body that go to the request log. */
  maxLoggedBytes: number;
  limits: Settings['limits'];
  log: Logger;
  /** The waits between attempts. */
  sleep: Sleep;
};
