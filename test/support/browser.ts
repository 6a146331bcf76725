import type { GraphAnswer, TestApp } from './app.ts';

/** A page of the console in a browser, with the cookie that it was given. */
export type Browser = {
  /** `<name>=<value>` of the cookie; empty without one. */
  cookie: string;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<BrowserAnswer>;
  /** An operation at `/console/graphql`; `workspace` is the id or slug of the one that is chosen. */
  graphql(query: string, variables?: object, workspace?: string): Promise<GraphAnswer>;
  /** Signs in, and must succeed. */
  signIn(shown: object): Promise<void>;
};

export type BrowserAnswer = { status: number; body: any; headers: Headers };

/** `url`: of the service, with the path below which the console is reached. */
export function openBrowser({ url }: Pick<TestApp, 'url'>): Browser {
  const browser: Browser = {
    cookie: '',
    async send(method, path, body, headers = {}) {
      const response = await fetch(`${url}/console${path}`, {
        method,
        redirect: 'manual',
        headers: {
          'sec-fetch-site': 'same-origin',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(browser.cookie && { cookie: browser.cookie }),
          ...headers,
        },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        if (/^(__Secure-)?sluice=/.test(pair)) browser.cookie = /Max-Age=0/.test(line) ? '' : pair;
      }
      return { status: response.status, body: parse(await response.text()), headers: response.headers };
    },
    async graphql(query, variables = {}, workspace) {
      const headers: Record<string, string> =
        workspace === undefined ? {} : { 'x-gateway-workspace-id': workspace };
      const { status, body } = await browser.send('POST', '/graphql', { query, variables }, headers);
      return { status, ...body };
    },
    async signIn(shown) {
      const { status, body } = await browser.send('POST', '/sign-in', shown);
      if (status !== 200) throw new Error(`No sign-in: ${status} ${JSON.stringify(body)}`);
    },
  };
  return browser;
}

/** A browser in which a user of the app's organisation is signed in by a link. */
export async function signedIn(app: TestApp, userId: string, key?: string): Promise<Browser> {
  const browser = openBrowser(app);
  await browser.signIn({ link: await linkFor(app, userId, key) });
  return browser;
}

/** The secret of a new link for a user. */
export async function linkFor(app: TestApp, userId: string, key?: string): Promise<string> {
  const document = 'mutation ($userId: ID!) { createSignInLink(userId: $userId) { signInLink } }';
  const { data, errors } = await app.graphql(document, { userId }, key);
  if (errors) throw new Error(JSON.stringify(errors));
  return String(data.createSignInLink.signInLink).split('#')[1] ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
