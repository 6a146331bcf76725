import { GatewayError } from '../../../errors/index.ts';
import type { ProviderCredential } from '../../provider.ts';

/** What a service account's JSON holds that matters here. */
export type ServiceAccount = { email: string; privateKey: string; projectId: string | null };

/**
 * The service account's JSON of a credential, which may also be the key itself; null when it is a token, as it always is
 * where `vertex_auth_type` says `basic`.
 */
export function serviceAccountText({ key, settings }: ProviderCredential): string | null {
  const { vertex_auth_type: type, vertex_service_account_json: json } = settings;
  if (type === 'basic') return null;
  const text = json ?? (key?.trimStart().startsWith('{') ? key : null);
  if (text === null && type === 'serviceAccount')
    throw invalid('is what vertex_auth_type serviceAccount asks for.');
  return text;
}

export function parseServiceAccount(text: string): ServiceAccount {
  const { client_email: email, private_key: privateKey, project_id: projectId } = membersOf(text);
  if (typeof email !== 'string' || typeof privateKey !== 'string')
    throw invalid('must be the JSON of a service account with client_email and private_key.');
  return { email, privateKey, projectId: typeof projectId === 'string' ? projectId : null };
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The text is a secret: its parse error would quote it.
  }
  throw invalid('is not a JSON object.');
}

export const invalid = (problem: string, cause?: unknown) =>
  new GatewayError('VALIDATION_FAILED', {
    message: `vertex_service_account_json ${problem}`,
    param: 'vertex_service_account_json',
    cause,
  });
