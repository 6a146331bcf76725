import { json, type Script } from '../provider.ts';

export const TENANT = 'contoso.example';
export const CLIENT_ID = '11111111-2222-3333-4444-555555555555';
export const CLIENT_SECRET = 'entra-client-secret~0123';
export const FEDERATED_TOKEN = 'federated-token';
export const IDENTITY_HEADER = 'identity-header-0123';

const SCOPE = 'https://vault.azure.net/.default';
const issued = (token: string) => json(200, { token_type: 'Bearer', expires_in: 3600, access_token: token });

/** Entra, the identity service of a machine, and a Key Vault on one server. `secrets`: texts by name, or name and version. */
export const azureScript =
  (secrets: ReadonlyMap<string, string>): Script =>
  (request, response, raw) => {
    const url = new URL(request.url, 'http://vault');
    const answer = ((): Script => {
      if (url.pathname === `/${TENANT}/oauth2/v2.0/token`) {
        const form = new URLSearchParams(request.body.toString());
        const isProven =
          form.get('client_secret') === CLIENT_SECRET ||
          (form.get('client_assertion') === FEDERATED_TOKEN &&
            form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
        const isGood =
          isProven &&
          form.get('grant_type') === 'client_credentials' &&
          form.get('client_id') === CLIENT_ID &&
          form.get('scope') === SCOPE;
        return isGood ? issued('entra-token') : json(401, { error: 'invalid_client' });
      }
      if (url.pathname === '/identity') {
        const isGood =
          request.headers['x-identity-header'] === IDENTITY_HEADER &&
          url.searchParams.get('resource') === 'https://vault.azure.net' &&
          url.searchParams.get('api-version') === '2019-08-01';
        return isGood ? issued('entra-token') : json(400, { error: 'invalid_request' });
      }
      if (request.headers.authorization !== 'Bearer entra-token')
        return json(401, { error: { code: 'Unauthorized' } });
      if (url.searchParams.get('api-version') !== '7.4') return json(400, {});
      const text = secrets.get(url.pathname.replace('/secrets/', ''));
      return text === undefined
        ? json(404, { error: { code: 'SecretNotFound' } })
        : json(200, { value: text, id: `https://vault${url.pathname}/1`, attributes: { enabled: true } });
    })();
    return answer(request, response, raw);
  };
