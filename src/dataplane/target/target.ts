import type { ProviderRecord } from '../../directory/memory.ts';
import type { BaseUrl, Provider, ProviderCredential } from '../../providers/index.ts';
import type { OwnPricing } from '../../recording/pricing/index.ts';
import type { SecretContent } from '../../secret-managers/index.ts';

/** A leaf of the plan made concrete for one call: who is called, where, with which credential and which model. */
export type Target = {
  provider: Provider;
  /** The catalogue entry that supplies the credential; null when the caller or the config brings its own. */
  record: ProviderRecord | null;
  /** Null for a provider in this process. */
  base: BaseUrl | null;
  /** The base is the provider's own; no custom host and no setting has a say in it. */
  hasFixedAddress: boolean;
  credential: ProviderCredential;
  /** The same without what came from secret managers. */
  bareCredential: ProviderCredential;
  /** What came from secret managers into the credential, in the order of the record's `mappedSecrets`. */
  usedSecrets: readonly SecretContent[];
  /** The credential was stored, with the integration or in a saved config: the caller does not know it. */
  isStored: boolean;
  /** Headers of the integration and, before them, of its model, sent on every request. */
  customHeaders: Record<string, string>;
  /** The model that goes upstream, without a `@slug/`; null when nothing names one. */
  model: string | null;
  /** Null for the usual prices. */
  pricing: OwnPricing;
};
