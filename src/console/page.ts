import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors/index.ts';
import { pageHeaders } from '../lib/http/page-headers.ts';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
  label { display: block; margin: 1rem 0; }
  input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .4rem; }
  button { font: inherit; padding: .4rem 1.2rem; }
  [hidden] { display: none; }
`;

// Relative addresses: PUBLIC_URL may have a path. The secret leaves the address bar before anything else happens.
const script = `
  const secret = location.hash.slice(1);
  if (secret) history.replaceState(null, '', location.pathname);
  const by = (id) => document.getElementById(id);
  const say = (text) => { by('said').textContent = text; };

  async function ask(path, method, body) {
    const response = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (response.status === 204) return null;
    const answer = await response.json();
    const error = answer.error ?? answer.errors?.[0];
    if (error) throw new Error(error.message);
    return answer;
  }

  const graph = async (query, variables) => (await ask('graphql', 'POST', { query, variables })).data;

  async function show() {
    for (const form of document.forms) form.hidden = true;
    const { viewer } = await graph('{ viewer { name organisation { name } signInEndsAt } }');
    say('Signed in to ' + viewer.organisation.name + ' as ' + viewer.name + ', until ' + new Date(viewer.signInEndsAt).toLocaleString() + '.');
    by('out').hidden = false;
  }

  async function signIn(shown) {
    await ask('sign-in', 'POST', shown);
    await show();
  }

  const attempt = (work) => work().catch((error) => say(error.message));

  function onSubmit(id, work) {
    by(id).addEventListener('submit', (event) => {
      event.preventDefault();
      attempt(() => work(Object.fromEntries(new FormData(by(id)))));
    });
  }

  onSubmit('key', signIn);
  onSubmit('owner', async (input) => {
    // Whoever was signed in before is not the owner.
    await ask('sign-in', 'DELETE');
    const query = 'mutation ($input: CreateOwnerInput!) { createOwner(input: $input) { signInLink } }';
    const { createOwner } = await graph(query, { input: { token: secret, ...input } });
    await signIn({ link: createOwner.signInLink.split('#')[1] });
  });
  by('out').addEventListener('click', () =>
    attempt(async () => {
      await ask('sign-in', 'DELETE');
      location.reload();
    }),
  );

  async function offer() {
    by('key').hidden = false;
    const methods = await ask('sign-in', 'GET');
    by('oidc').hidden = !methods.oidc;
    by('unowned').hidden = methods.owner_exists;
  }

  if (!secret) show().catch(() => attempt(offer));
  else if (location.pathname.endsWith('/welcome')) by('owner').hidden = false;
  else attempt(() => signIn({ link: secret }));
`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sluice</title>
<style>${style}</style>
<h1>Sluice</h1>
<form id="owner" hidden>
  <p>You become the owner of this installation.</p>
  <label>Email <input name="email" type="email" required maxlength="254" autocomplete="email"></label>
  <label>First name <input name="firstName" required maxlength="255" autocomplete="given-name"></label>
  <label>Last name <input name="lastName" required maxlength="255" autocomplete="family-name"></label>
  <button>Continue</button>
</form>
<form id="key" hidden>
  <p>Open a link that you were given, or sign in with a key.</p>
  <label>API key <input name="key" type="password" required maxlength="512" autocomplete="off"></label>
  <button>Sign in</button>
</form>
<p id="unowned" hidden>Nobody owns this installation yet: <code>npm run console:link</code>, where it runs, prints a link for the first owner.</p>
<p id="oidc" hidden><a href="sign-in/oidc">Sign in with your identity provider</a></p>
<p id="said" role="status"></p>
<button id="out" hidden>Sign out</button>
<script>${script}</script>
</html>
`;

const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const headers = {
  ...pageHeaders([
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
  ]),
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
};

/** The page of `/console/` and `/console/welcome`: the same for everybody, since only its script reads a secret. */
export function answerPage(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    throw new GatewayError('METHOD_NOT_ALLOWED');
  }
  // Relative to the address that the browser knows, which a proxy may have put below a path.
  if (path === '') response.writeHead(308, { location: 'console/' }).end();
  else response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : page);
}
