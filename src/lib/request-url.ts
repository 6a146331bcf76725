/** Path and query string (without the question mark) of a request line's URL. */
export function splitUrl(url = '/'): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}
