import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, page, type ReferencePage, tableOf } from './page.ts';

type Meanings = Readonly<Record<string, string>>;

/** What callers may send. A header of two names has both before the colon. */
const requestHeaders: Meanings = {
  'x-gateway-api-key':
    'the gateway key, an access token or a JWT; [calling.md](../calling.md#naming-the-provider) says where else it may stand',
  'x-gateway-provider': '`@slug` of a stored provider, or the name of a kind such as `openai`',
  'x-gateway-virtual-key': 'the slug of a stored provider, as `x-gateway-provider` takes it',
  'x-gateway-config': 'slug or id of a saved config, or a config as JSON: see [configs.md](../configs.md)',
  'x-gateway-custom-host':
    'base URL, version path included; goes before all other hosts, never with a stored credential',
  'x-gateway-workspace-id': 'id or slug of a workspace, for an access token that is for a tenant',
  'x-gateway-forward-headers':
    "comma list or JSON array of the caller's headers that go to the provider; in place of the config's `forward_headers`",
  'x-gateway-sensitive-headers': "comma list of headers whose values this call's log does not show",
  'x-gateway-trace-id':
    'the trace, for all tries of a call and for several calls; without it that of `traceparent`, or a new one. Up to 256 printable ASCII characters, else 400',
  'x-gateway-span-id': 'where the call stands in its trace; before what `traceparent` says. The same limit',
  'x-gateway-span-name': 'the name of that place. The same limit',
  'x-gateway-parent-span-id': 'the place above it. The same limit',
  'x-gateway-metadata':
    'JSON object of texts, numbers and flags: the first 64 members count, of each value 128 characters; what is no JSON object counts as empty. `baggage` adds to it',
  'x-gateway-request-timeout': "milliseconds, 1 to 3600000; before the config's",
  'x-gateway-cache-namespace': 'who shares kept answers: see [Cache](../configs.md#cache)',
  'x-gateway-cache-force-refresh':
    '`true` asks the provider and keeps the new answer: see [Cache](../configs.md#cache)',
  'x-gateway-strict-open-ai-compliance': "`false` shows what providers say beyond OpenAI's format",
  'x-gateway-strict-openai-compliance': 'the same',
  'x-gateway-debug': '`false` keeps headers and bodies out of the log, and the call out of the cache',
  'x-gateway-fetch-integrated-models':
    '`true`: `GET /v1/models` lists the catalogue of the providers that the request names, instead of asking them',
  'x-gateway-nitro-mode':
    '`true`: the body goes through unread: see [Forms, files, realtime](../calling.md#forms-files-realtime)',
  'x-gateway-mcp-servers':
    'comma list of the MCP servers that `/mcp` is to consist of: see [mcp.md](../mcp.md#connect-a-client)',
  'x-gateway-beta': 'comma list; `use-responses-api-2026-07-30` is known, others mean nothing',
  'x-gateway-runtime': 'what an SDK runs on, for the log',
  'x-gateway-runtime-version': 'the version of that, for the log',
  'x-gateway-package-version': 'the version of the SDK, for the log',
};

/** What answers carry. */
const answerHeaders: Meanings = {
  'x-gateway-trace-id': 'the trace of the request',
  'x-gateway-request-id': 'the id of the request itself',
  'x-gateway-provider': 'the kind of provider that was asked',
  'x-gateway-last-used-option-index': 'the target, such as `config.targets[1]`; `config` without targets',
  'x-gateway-retry-attempt-count': 'retries that it took; -1 when they were used up or given up',
  'x-gateway-cache-status': 'what the cache did: see [Cache](../configs.md#cache)',
  'x-gateway-gateway-exception': '`true` where the gateway refused the call and no further target was tried',
  'x-gateway-output-cap':
    'the tokens that the gateway allowed the answer, since nobody else said; `; limit=<id>` names the limit that made them fewer',
  'x-gateway-ratelimit-limit-requests': 'requests that the limit allows of which the least is left',
  'x-gateway-ratelimit-remaining-requests': 'what is left of it',
  'x-gateway-ratelimit-reset-requests': 'seconds until all of it is there again',
  'x-gateway-ratelimit-limit-tokens': 'the same in tokens',
  'x-gateway-ratelimit-remaining-tokens': 'what is left of it, less what calls under way hold',
  'x-gateway-ratelimit-reset-tokens': 'seconds until all of it is there again',
  'x-ratelimit-limit-requests':
    'on a refusal by a limit, with `-remaining-`, `-reset-` and the same in `-tokens`: the limit that refused',
  'retry-after': "seconds; on every 429 of the gateway's own, and on a 412 whose limit begins anew",
  'retry-after-ms': 'the same in milliseconds, where a limit refused',
  'x-should-retry': '`true` or `false`, where a limit refused: the official clients obey it',
};

/** Between gateways and other services. */
const serviceHeaders: Meanings = {
  'x-gateway-hops':
    'how many gateways a request to a custom host has passed; the fourth answers 508: see [security.md](../security.md)',
  'x-gateway-router-secret':
    'what a federation router sends at `/subgraphs/…`: see [graph.md](../graph.md#behind-another-router)',
  'x-gateway-organisation-id':
    'whose request a remote subgraph answers: see [graph.md](../graph.md#extending-the-graph)',
  'x-gateway-workspace-id': 'the same, of the workspace',
};

const root = join(import.meta.dirname, '../..');

/** Headers of the gateway's own that the source names. */
function namesInSource(): Set<string> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const names = new Set<string>();
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    for (const [name] of text.matchAll(/(?<=')x-gateway-[a-z-]+[a-z](?=')/g)) names.add(name);
  }
  return names;
}

/** The meanings above must speak of the headers that the source knows, and of no others. */
function checkAgainstSource(): void {
  const known = namesInSource();
  const told = Object.keys({ ...requestHeaders, ...answerHeaders, ...serviceHeaders });
  const untold = [...known].filter((name) => !told.includes(name));
  const unknown = told.filter((name) => name.startsWith('x-gateway-') && !known.has(name));
  if (untold.length > 0) throw new Error(`scripts/reference/headers.ts lacks ${untold.join(', ')}.`);
  if (unknown.length > 0) throw new Error(`No file of src has ${unknown.join(', ')}.`);
}

const rowsOf = (meanings: Meanings) =>
  Object.entries(meanings).map(([name, meaning]) => [code(name), meaning]);

/** The headers of the gateway's own, with what they mean. */
export function headersPage(): ReferencePage {
  checkAgainstSource();
  const head = ['header', 'meaning'];
  return page(
    'headers',
    'Headers',
    'the meanings that it lists, which are compared with the names in src',
    [
      'The headers of the gateway’s own. What happens to all others is in [calling.md](../calling.md#headers-of-a-request).',
      '',
      '## Of a request',
      '',
      tableOf(head, rowsOf(requestHeaders)),
      '',
      'Settings of providers are headers too: `x-gateway-aws-region` for `aws_region`. They are in [providers.md](providers.md).',
      '',
      '## Of an answer',
      '',
      tableOf(head, rowsOf(answerHeaders)),
      '',
      '## Between services',
      '',
      tableOf(head, rowsOf(serviceHeaders)),
    ].join('\n'),
  );
}
