import type { Sleep } from '../auth/index.ts';
import type { DoorAuthenticate } from '../authentication/authenticate.ts';
import type { Directory } from '../directory/memory.ts';
import type { CheckHouse } from '../guardrails/engine/index.ts';
import type { BodyBudget } from '../lib/bodies/index.ts';
import type { HostPolicy } from '../lib/http/custom-host.ts';
import type { Logger } from '../lib/logger.ts';
import type { OwnIdentity } from '../providers/index.ts';
import type { RequestLog } from '../recording/log/thread/log-thread.ts';
import type { SecretMemory } from '../secret-managers/memory.ts';
import type { Settings } from '../settings/index.ts';
import type { OpenStreams } from './answer/relay.ts';
import type { Cache } from './cache/index.ts';
import type { OpenCalls } from './call/open-calls.ts';
import type { ResponseKeeper } from './keeping/keeper.ts';
import type { Limiting } from './limits/limiting.ts';
import type { ToolRunner } from './own-tools/runner.ts';
import type { HttpUpstream } from './send/http.ts';
import type { Breakers } from './strategy/breaker/index.ts';
import type { Random } from './strategy/draw.ts';
import type { StickyTargets } from './strategy/sticky.ts';

export type DataplaneDependencies = {
  authenticate: DoorAuthenticate;
  directory: Directory;
  /** Values of secret references. */
  secretMemory: SecretMemory;
  http: HttpUpstream;
  hostPolicy: HostPolicy;
  /** What the gateway itself may prove to a cloud, for integrations; null lends that to nobody. */
  identity: OwnIdentity | null;
  /** On paths that are passed on: a redirect that leaves the provider's base goes to the caller (`pass`), or is an error. */
  redirects: Settings['upstream']['redirects'];
  breakers: Breakers;
  sticky: StickyTargets;
  /** Decides draws. */
  random: Random;
  /** Requests may name configs, providers and hosts only by what an administrator has saved. */
  savedConfigsOnly: boolean;
  cache: Cache;
  streams: OpenStreams;
  openCalls: OpenCalls;
  requestLog: RequestLog;
  /** Bytes of each body that go to the request log. */
  maxLoggedBytes: number;
  limits: Settings['limits'];
  /** Holds calls to budgets and rates. */
  limiting: Limiting;
  /** How checks run. */
  checkHouse: CheckHouse;
  /** What request bodies may take of the memory, at all doors. */
  bodies: BodyBudget;
  /** Answers what the gateway itself is to keep; absent at doors that pass everything on. */
  keepResponse?: ResponseKeeper;
  /** Runs tools of MCP servers for models; absent at doors that pass everything on. */
  runTools?: ToolRunner;
  headers: Settings['headers'];
  log: Logger;
  /** The waits between attempts. */
  sleep: Sleep;
};
