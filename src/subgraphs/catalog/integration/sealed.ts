import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import type { IntegrationDocument, IntegrationModel } from './model.ts';

/** Secret texts by name: custom headers, or settings of the provider kind. */
export type Texts = Record<string, string>;

export const seal = (secrets: Secrets, texts: Texts, integrationId: string): string | null =>
  Object.keys(texts).length > 0 ? secrets.encrypt(JSON.stringify(texts), integrationId) : null;

const unseal = (secrets: Secrets, sealed: string | null | undefined, integrationId: string): Texts =>
  sealed ? JSON.parse(secrets.decrypt(sealed, integrationId)) : {};

/** The custom headers in the clear, for the call to the provider. */
export const unsealHeaders = (
  secrets: Secrets,
  { _id, sealedHeaders }: Pick<IntegrationDocument, '_id' | 'sealedHeaders'>,
): Texts => unseal(secrets, sealedHeaders, _id);

/** The headers of one of its models in the clear. */
export const unsealModelHeaders = (
  secrets: Secrets,
  { sealedHeaders }: Pick<IntegrationModel, 'sealedHeaders'>,
  integrationId: string,
): Texts => unseal(secrets, sealedHeaders, integrationId);

/** The secret settings in the clear, for the call to the provider. */
export const unsealSettings = (
  secrets: Secrets,
  { _id, sealedSettings }: Pick<IntegrationDocument, '_id' | 'sealedSettings'>,
): Texts => unseal(secrets, sealedSettings, _id);

/** Whether a text that came in is the mask of the stored one, and stands for it. */
export const isMaskOf = (text: string, stored: string | undefined): stored is string =>
  stored !== undefined && maskSecret(stored) === text;

const masked = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, maskSecret(text)]));

/** The configurations as administrators see them: header values and secret settings masked. */
export const shownConfigurations = (secrets: Secrets, integration: IntegrationDocument) => ({
  ...integration.configurations,
  ...masked(unsealSettings(secrets, integration)),
  ...shownHeaders(unsealHeaders(secrets, integration)),
});

/** A model as administrators see it, likewise. */
export const shownModel = (secrets: Secrets, model: IntegrationModel, integrationId: string) => ({
  ...model,
  configurations: {
    ...model.configurations,
    ...shownHeaders(unsealModelHeaders(secrets, model, integrationId)),
  },
});

const shownHeaders = (headers: Texts) =>
  Object.keys(headers).length > 0 && { custom_headers: masked(headers) };
