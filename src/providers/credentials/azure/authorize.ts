import type { Provider } from '../../provider.ts';
import { bearer } from '../keys.ts';
import { entraToken } from './entra.ts';
import { ownToken } from './own-token.ts';

/** A token of Entra's, given or issued to an application or to the gateway itself, or else the key, where `withKey` puts it. */
export const azureAuthorize =
  (withKey: Provider['authorize']): Provider['authorize'] =>
  (request, credential, fetch) => {
    const { azure_auth_mode: mode, azure_ad_token: token } = credential.settings;
    if (mode === 'entra')
      return entraToken(credential.settings, fetch).then((key) =>
        bearer(request, { ...credential, key }, fetch),
      );
    const own = ownToken(request, credential);
    if (own) return own.then((key) => bearer(request, { ...credential, key }, fetch));
    return token === undefined
      ? withKey(request, credential, fetch)
      : bearer(request, { ...credential, key: token }, fetch);
  };

/** The same path asking for a version of the API, unless it asks for one already. */
export const withVersion = (path: string, version: string | undefined): string =>
  version === undefined || /[?&]api-version=/.test(path)
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}api-version=${version}`;
