import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pageHeaders } from '../lib/http/page-headers.ts';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
  label { display: block; margin: 1rem 0; }
  input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .4rem; }
  button { font: inherit; padding: .4rem 1.2rem; }
  code { display: block; overflow-wrap: anywhere; background: #eee; color: #000; padding: .5rem; }
`;

// Relative addresses: PUBLIC_URL may have a path.
const script = `
  const form = document.querySelector('form');
  const said = document.querySelector('[role=status]');
  const query = 'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { email apiKeys { key workspaceName } } }';
  const show = (name, text) => said.append(Object.assign(document.createElement(name), { textContent: text }));

  async function accept(input) {
    const response = await fetch('../graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input } }),
    });
    const { data, errors } = await response.json();
    if (!data) throw new Error(errors[0].message);
    return data.acceptInvite;
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    said.textContent = '';
    try {
      const token = decodeURIComponent(location.pathname.split('/').at(-1));
      const { email, apiKeys } = await accept({ token, ...Object.fromEntries(new FormData(form)) });
      history.replaceState(null, '', './');
      form.hidden = true;
      show('p', email + ' is a user now.');
      if (apiKeys.length > 0) show('p', 'These keys are shown only this once. Keep them in a safe place.');
      for (const { key, workspaceName } of apiKeys) {
        show('p', workspaceName);
        show('code', key);
      }
    } catch (error) {
      show('p', error.message);
      button.disabled = false;
    }
  });
`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Invite</title>
<style>${style}</style>
<h1>You are invited</h1>
<form>
  <label>First name <input name="firstName" required maxlength="255" autocomplete="given-name"></label>
  <label>Last name <input name="lastName" required maxlength="255" autocomplete="family-name"></label>
  <button>Accept</button>
</form>
<div role="status"></div>
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
  // No referrer: the address of the page holds the invite's secret.
  'cache-control': 'no-store',
};

/** The page that an invite's link opens: the same for every link, since only its script reads the secret. */
export function answerInvitePage(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  response.writeHead(200, headers).end(page);
}
