import { uuid } from '../../../lib/ids.ts';
import { maskSecret } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import { parseConfigurations } from './configurations.ts';
import type { IntegrationDocument } from './model.ts';
import { requireSameHost } from './same-host.ts';
import { seal, unsealHeaders, unsealSettings } from './sealed.ts';

/** What a call needs of an integration, stored or not. */
export type IntegrationCredential = Pick<
  IntegrationDocument,
  '_id' | 'aiProviderId' | 'sealedKey' | 'configurations' | 'sealedHeaders' | 'sealedSettings'
>;

type Given = { key?: string | null; configurations?: unknown };

/** The credential of an integration that is not stored. */
export function newCredential(
  context: GraphContext,
  aiProviderId: string,
  { key, configurations }: Given,
): IntegrationCredential {
  const _id = uuid();
  const { plain, headers, secrets } = parseConfigurations(configurations, aiProviderId, {
    headers: {},
    secrets: {},
  });
  return {
    _id,
    aiProviderId,
    sealedKey: null,
    ...keyMembers(context, { _id, keyMask: null }, key),
    configurations: plain,
    sealedHeaders: seal(context.secrets, headers, _id),
    sealedSettings: seal(context.secrets, secrets, _id),
  };
}

/** The credential of an integration as an update would leave it. */
export const changedCredential = (
  context: GraphContext,
  integration: IntegrationDocument,
  { key, configurations }: Given,
): IntegrationCredential => ({
  ...integration,
  ...(configurations !== undefined &&
    configurationMembers(context, integration, configurations, newKey(integration, key))),
  ...keyMembers(context, integration, key),
});

export function configurationMembers(
  { secrets }: GraphContext,
  integration: IntegrationDocument,
  value: unknown,
  key: string | null | undefined,
) {
  const { _id, aiProviderId } = integration;
  const stored = {
    headers: unsealHeaders(secrets, integration),
    secrets: unsealSettings(secrets, integration),
  };
  const given = parseConfigurations(value, aiProviderId, stored);
  requireSameHost(aiProviderId, integration.configurations, given.plain, [
    ...(integration.sealedKey && key === undefined ? ['key'] : []),
    ...given.kept,
    ...(integration.models.some(({ sealedHeaders }) => sealedHeaders) ? ["the models' custom_headers"] : []),
  ]);
  return {
    configurations: given.plain,
    sealedHeaders: seal(secrets, given.headers, _id),
    sealedSettings: seal(secrets, given.secrets, _id),
  };
}

/** The credential that an update brings; the mask of the stored one is none. */
export const newKey = ({ keyMask }: IntegrationDocument, key: string | null | undefined) =>
  key === keyMask ? undefined : key;

/** The stored forms of a credential. A mask that comes back from an earlier read leaves the credential alone. */
export function keyMembers(
  context: GraphContext,
  { _id, keyMask }: { _id: string; keyMask: string | null },
  key: string | null | undefined,
) {
  if (key === undefined || (key !== null && key === keyMask)) return {};
  if (key === null) return { sealedKey: null, keyMask: null };
  return { sealedKey: context.secrets.encrypt(key, _id), keyMask: maskSecret(key) };
}
