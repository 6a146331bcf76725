import type { Provider } from '../provider.ts';
import { PATH_PART } from '../setting.ts';
import { bearer } from './keys.ts';

/** Stability's clients may say which they are. */
export const stabilitySettings = {
  stability_client_id: { byRequest: true, pattern: PATH_PART },
  stability_client_user_id: { byRequest: true, pattern: PATH_PART },
  stability_client_version: { byRequest: true, pattern: PATH_PART },
} as const;

export const stabilityKey: Provider['authorize'] = (request, credential, fetch) => {
  for (const name of Object.keys(stabilitySettings)) {
    const value = credential.settings[name];
    if (value !== undefined) request.headers[name.replaceAll('_', '-')] = value;
  }
  return bearer(request, credential, fetch);
};
