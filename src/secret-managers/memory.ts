import { LRUCache } from 'lru-cache';
import type { Gauge } from '../lib/gauge.ts';
import type { Logger } from '../lib/logger.ts';
import type { SecretContent, SecretManagers, SecretSource } from './index.ts';
import { type KeepingTimes, KeptSecret } from './kept-secret.ts';

/** Secrets that one process keeps; each takes 256 KB at most. */
const ENTRIES = 1000;

/** The values of stored references, in memory alone. */
export type SecretMemory = {
  /** Answers without a promise once the secret is in memory. Throws, or rejects with, a SecretProblem. */
  get(source: SecretSource): SecretContent | Promise<SecretContent>;
  /** Whether `renew` could give another content than `used`: the manager is asked once a second at most. */
  mayRenew(source: SecretSource, used: SecretContent): boolean;
  /** What to use after a provider refused `used`; `used` itself when the manager has nothing else. */
  renew(source: SecretSource, used: SecretContent): Promise<SecretContent>;
  /** Secrets whose manager gave no value when it was last asked. */
  countFailing(): number;
  stop(): void;
};

type Entry = { fingerprint: string; kept: KeptSecret };

export function createSecretMemory(
  managers: Pick<SecretManagers, 'read'>,
  times: KeepingTimes,
  log: Logger,
): SecretMemory {
  const entries = new LRUCache<string, Entry>({
    max: ENTRIES,
    dispose: ({ kept }) => kept.stop(),
  });

  function keptOf(source: SecretSource): KeptSecret {
    const fingerprint = fingerprintOf(source);
    const known = entries.get(source.id);
    if (known?.fingerprint === fingerprint) return known.kept;
    const names = { secretReference: source.slug, secretReferenceId: source.id };
    const kept = new KeptSecret(() => managers.read(source), times, {
      idle: () => {
        if (entries.peek(source.id)?.kept === kept) entries.delete(source.id);
      },
      change: (problem) => {
        if (problem)
          log.warn({ ...names, fault: problem.fault, problem: problem.message }, 'A secret cannot be read.');
        else log.info(names, 'A secret was read.');
      },
    });
    entries.set(source.id, { fingerprint, kept });
    return kept;
  }

  return {
    get: (source) => keptOf(source).get(),
    mayRenew: (source, used) => keptOf(source).mayRenew(used),
    renew: (source, used) => keptOf(source).renew(used),
    countFailing: () => [...entries.values()].filter(({ kept }) => kept.problem !== null).length,
    stop: () => entries.clear(),
  };
}

const fingerprints = new WeakMap<SecretSource, string>();

/** Tells an edited reference from what it was. */
function fingerprintOf(source: SecretSource): string {
  let fingerprint = fingerprints.get(source);
  if (fingerprint === undefined) {
    fingerprint = JSON.stringify([source.type, source.auth, source.path]);
    fingerprints.set(source, fingerprint);
  }
  return fingerprint;
}

export const secretGauge = (memory: SecretMemory): Gauge => ({
  name: 'sluice_secret_references_failing',
  help: 'Secret references in use whose manager gave no value when it was last asked.',
  aggregator: 'max',
  read: () => memory.countFailing(),
});
