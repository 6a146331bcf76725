/** A call as it would be written in a program. */
export type Written = {
  /** Where programs call, with `/v1`. */
  base: string;
  /** Below `/v1`. */
  path: string;
  body: unknown;
  /** Slug of a config; empty for none. */
  config: string;
};

export const languages = { curl: 'curl', node: 'Node', python: 'Python' } as const;
export type Language = keyof typeof languages;

/** Where programs are to have their key. No key of anybody is ever in a page. */
const KEY = 'SLUICE_API_KEY';

/** The call as a program in a language, whole, to be pasted. */
export function programOf(language: Language, call: Written): string {
  // What is undefined in a body is not sent.
  const own = { ...call, body: JSON.parse(JSON.stringify(call.body)) as unknown };
  return { curl: curlOf, node: nodeOf, python: pythonOf }[language](own);
}

function curlOf({ base, path, body, config }: Written): string {
  return [
    `curl ${shell(`${base}/${path}`)}`,
    `-H "authorization: Bearer $${KEY}"`,
    `-H 'content-type: application/json'`,
    ...(config === '' ? [] : [`-H ${shell(`x-gateway-config: ${config}`)}`]),
    `-d ${shell(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** The methods of the OpenAI SDKs, which are called alike in both languages. */
const methods: Readonly<Record<string, string>> = {
  'chat/completions': 'chat.completions.create',
  completions: 'completions.create',
  embeddings: 'embeddings.create',
  'images/generations': 'images.generate',
  responses: 'responses.create',
};

const isStream = (body: unknown): boolean => (body as { stream?: unknown } | null)?.stream === true;

function nodeOf({ base, path, body, config }: Written): string {
  const method = methods[path];
  const json = JSON.stringify(body, null, 2);
  const called = method ? `client.${method}(${json})` : `client.post('/${path}', { body: ${json} })`;
  return [
    "import OpenAI from 'openai';",
    '',
    'const client = new OpenAI({',
    `  baseURL: ${JSON.stringify(base)},`,
    `  apiKey: process.env.${KEY},`,
    ...(config === '' ? [] : [`  defaultHeaders: { 'x-gateway-config': ${JSON.stringify(config)} },`]),
    '});',
    `const answer = await ${called};`,
    ...(method && isStream(body)
      ? ['for await (const event of answer) console.log(JSON.stringify(event));']
      : ['console.log(JSON.stringify(answer));']),
    '',
  ].join('\n');
}

function pythonOf({ base, path, body, config }: Written): string {
  const method = methods[path];
  const called = method
    ? `client.${method}(\n${membersOf(body)})`
    : `client.post(${JSON.stringify(`/${path}`)}, cast_to=object, body=${literal(body, '')})`;
  return [
    'import os',
    '',
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url=${JSON.stringify(base)},`,
    `    api_key=os.environ["${KEY}"],`,
    ...(config === '' ? [] : [`    default_headers={"x-gateway-config": ${JSON.stringify(config)}},`]),
    ')',
    `answer = ${called}`,
    ...(method && isStream(body) ? ['for event in answer:', '    print(event)'] : ['print(answer)']),
    '',
  ].join('\n');
}

const STEP = '    ';

/** The members of a body as arguments; those that are no names of Python go as a dictionary. */
function membersOf(body: unknown): string {
  const entries = Object.entries(body as Record<string, unknown>);
  const isName = ([name]: [string, unknown]) => /^[a-z_]\w*$/i.test(name);
  const others = entries.filter((entry) => !isName(entry));
  return [
    ...entries.filter(isName).map(([name, value]) => `${STEP}${name}=${literal(value, STEP)},\n`),
    ...(others.length > 0 ? [`${STEP}extra_body=${literal(Object.fromEntries(others), STEP)},\n`] : []),
  ].join('');
}

/** A value of JSON as Python writes it; its texts are the same in both. */
function literal(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = indent + STEP;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((one) => `${inner}${literal(one, inner)},\n`)
    : Object.entries(value).map(
        ([name, one]) => `${inner}${JSON.stringify(name)}: ${literal(one, inner)},\n`,
      );
  const [open, close] = isList ? '[]' : '{}';
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join('')}${indent}${close}`;
}

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
