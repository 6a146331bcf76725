import type { TokenClasses } from '../usage/classes.ts';

const has = (text: string, type: string): number => text.split(`"type":"${type}"`).length - 1;

const NONE: TokenClasses = {};

/**
 * Calls of OpenAI's own tools, which are billed by the call and reported only as items of a response's output. Of searches
 * in the web, opening a page or looking inside one is free. In a stream they are counted in the last event, which holds all.
 */
export function toolCalls(text: string): TokenClasses {
  if (!text.includes('_search_call"')) return NONE;
  const output = text.slice(Math.max(0, text.lastIndexOf('"response.completed"')));
  const compact = output.replace(/"type"\s*:\s*"/g, '"type":"');
  const searches = has(compact, 'web_search_call') - has(compact, 'open_page') - has(compact, 'find_in_page');
  const files = has(compact, 'file_search_call');
  return { ...(searches > 0 && { web_search: searches }), ...(files > 0 && { file_search: files }) };
}
