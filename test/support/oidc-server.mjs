// A certified OpenID provider, in a process of its own: its library does not take objects of Jest's realm. It is forked with
// the redirect URI, client id and client secret, says with a message where it listens, and signs in without a question
// whoever the last message names.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [redirectUri, clientId, clientSecret] = process.argv.slice(2);
const scope = 'openid email profile groups';
let person = { sub: 'nobody' };

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

const provider = new Provider(issuer, {
  clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
  jwks: { keys: [{ ...jwk, alg: 'RS256', use: 'sig', kid: 'one' }] },
  cookies: { keys: ['test'] },
  scopes: scope.split(' '),
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['given_name', 'family_name'],
    groups: ['groups'],
  },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
});

async function interact(request, response) {
  const { prompt } = await provider.interactionDetails(request, response);
  const accountId = person.sub;
  if (prompt.name === 'login') {
    const result = { login: { accountId } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

const callback = provider.callback();
server.on('request', (request, response) => {
  if (request.url.startsWith('/interaction/')) void interact(request, response);
  else callback(request, response);
});
process.on('message', (message) => {
  person = message;
  process.send({ known: true });
});
process.send({ issuer });
