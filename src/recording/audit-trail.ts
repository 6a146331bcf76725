import { uuid } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { AuditChain } from './audit-chain.ts';
import type { Spool } from './spool.ts';

/** One administrative action, done or refused. Secrets are already redacted. */
export type AuditEntry = {
  organisationId: string;
  workspaceId: string | null;
  /** Id of the user, the API key or the JWT's subject; client id of a service account. */
  userId: string;
  /** As the user or credential was called at that time. */
  userName?: string;
  userType: 'user' | 'api_key' | 'service_account' | 'jwt';
  resourceType: string;
  action: string;
  targetId: string | null;
  /** Keyed hashes of the target as it was stored before and after the action; null where it did not exist. */
  beforeDigest?: string | null;
  afterDigest?: string | null;
  outcome: 'success' | 'refused' | 'failed';
  responseStatusCode: number;
  method: string;
  uri: string;
  requestId: string;
  requestBody: string;
  queryParams: string;
  requestHeaders: string;
  clientIp: string;
  userAgent: string;
  timestamp: Date;
};

/** An entry that has its id, but no place in the chain yet. */
export type IdentifiedAuditEntry = AuditEntry & { _id: string };

export type AuditTrail = {
  /** Resolves when the entry is durable: in the database or, while that is down, in the spool file on disk. */
  record(entry: AuditEntry): Promise<void>;
};

/** The trail of an installation, with what its start needs. */
export type DurableAuditTrail = AuditTrail & {
  /** Brings spooled entries of an earlier outage into the database. */
  replay(): Promise<void>;
  /** Ends the attempts to bring them in; they stay on disk for the next start. Resolves when nothing is under way. */
  stop(): Promise<void>;
};

/** Milliseconds between attempts to bring spooled entries into the database. */
const REPLAY_INTERVAL = 5000;

export function createAuditTrail(options: {
  chain: Pick<AuditChain, 'append' | 'settle'>;
  /** Hears of entries that have become visible in the store. */
  onAppended: (entries: readonly IdentifiedAuditEntry[]) => void;
  spool: Spool<IdentifiedAuditEntry>;
  log: Logger;
}): DurableAuditTrail {
  const { chain, onAppended, spool, log } = options;
  let retry: NodeJS.Timeout | undefined;

  async function write(entries: readonly IdentifiedAuditEntry[]): Promise<void> {
    await chain.append(entries);
    onAppended(entries);
  }

  async function replay(): Promise<void> {
    retry = undefined;
    try {
      await spool.replay(write);
    } catch (error) {
      log.error({ error }, 'Spooled audit entries could not be written to the database yet.');
      replayLater();
    }
  }

  function replayLater(): void {
    retry ??= setTimeout(() => void replay(), REPLAY_INTERVAL);
    retry.unref();
  }

  return {
    replay,
    async stop() {
      clearTimeout(retry);
      await chain.settle();
    },
    async record(entry) {
      const identified = { _id: uuid(), ...entry };
      try {
        await write([identified]);
      } catch (error) {
        log.error({ error }, 'Could not write an audit entry; spooling it to disk.');
        await spool.append([identified]);
        replayLater();
      }
    },
  };
}
