import type { ShownLog } from './head.tsx';

/** The request as a command; its key is a variable, since logs hold none. */
export function curlOf({ requestMethod, requestUrl, request }: ShownLog): string {
  const path = requestUrl.replace(/^https?:\/\/[^/]+/, '');
  const url = new URL(`..${path}`, document.baseURI).href;
  const parts = [`curl -X ${requestMethod} ${shell(url)}`, `-H "authorization: Bearer $SLUICE_KEY"`];
  if (request?.body !== undefined && request.body !== null) {
    const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
    parts.push(`-H 'content-type: application/json'`, `-d ${shell(body)}`);
  }
  return parts.join(' \\\n  ');
}

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
