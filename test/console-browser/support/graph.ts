import type { Page, Route } from 'playwright-core';

/** Where the pages ask; the stream has a path of its own. */
const GRAPH = /\/console\/graphql$/;
const STREAM = /\/console\/graphql\/stream$/;

const nameOf = (route: Route): string => {
  const body = route.request().postDataJSON() as { operationName?: string } | null;
  return body?.operationName ?? '';
};

/** Holds the answer to one operation back until the function that it answers is called. */
export async function hold(page: Page, name: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(GRAPH, async (route) => {
    if (nameOf(route) === name) await released;
    await route.fallback();
  });
  return release;
}

/** Answers one operation with a refusal until the function that it answers is called. */
export async function refuse(page: Page, name: string, code: string, message: string): Promise<() => void> {
  let isOn = true;
  await page.route(GRAPH, async (route) => {
    if (!isOn || nameOf(route) !== name) return route.fallback();
    await route.fulfill({ json: { data: null, errors: [{ message, extensions: { code } }] } });
  });
  return () => {
    isOn = false;
  };
}

/** Names of the operations that a page has asked so far, streams included unless they are not meant. */
export function listOperations(page: Page, { streams = true } = {}): string[] {
  const names: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!GRAPH.test(url) && !(streams && STREAM.test(url))) return;
    names.push((request.postDataJSON() as { operationName?: string }).operationName ?? '');
  });
  return names;
}
