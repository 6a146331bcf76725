import { type GraphQLInputType, getNullableType, isInputObjectType, isListType, typeFromAST } from 'graphql';
import { snakeCase } from '../../../rest-compat/compile/names.ts';
import { type RestOperation, readOperations } from '../../../rest-compat/compile/operation.ts';
import { inputMembers } from '../../../rest-compat/compile/variables.ts';
import { operationFiles } from '../../../rest-compat/index.ts';
import { createGraph, readSources } from '../../../src/graph/index.ts';
import { subgraphs } from '../../../src/subgraphs/index.ts';
import type { Random } from '../../storage/embedded/fuzz/random.ts';

/** What is sent, and how the sender behaves. */
export type Malformed = {
  kind: string;
  bytes: Buffer;
  /** Hangs up without waiting for an answer. */
  leaves?: boolean;
  /** Says that nothing more will come, where the service would wait for it. */
  ends?: boolean;
};

type Field = { path: string[]; type: GraphQLInputType };
type Target = { operation: RestOperation; query: string[]; fields: Field[] };

const { schema } = createGraph(readSources(subgraphs));

/** Every operation of the project with its query parameters and the members of its body. */
const targets: Target[] = readOperations(schema, operationFiles()).map((operation) => {
  const inPath = operation.rest.path;
  const variables = operation.definition.variableDefinitions ?? [];
  const named = variables.map((node) => ({
    name: node.variable.name.value,
    type: typeFromAST(schema, node.type as never) as unknown as GraphQLInputType,
  }));
  return {
    operation,
    query: named
      .filter(({ name }) => name !== 'input' && !inPath.includes(`{${name}}`))
      .flatMap(({ name, type }) => inputMembers(type)?.map((member) => member.name) ?? [name])
      .map(snakeCase),
    fields: named.filter(({ name }) => name === 'input').flatMap(({ type }) => fieldsOf(type, [])),
  };
});

function fieldsOf(declared: GraphQLInputType, path: string[]): Field[] {
  const type = getNullableType(declared);
  if (isListType(type)) return [{ path, type: declared }, ...fieldsOf(type.ofType, [...path, '0'])];
  if (!isInputObjectType(type) || path.length > 4) return [{ path, type: declared }];
  const below = Object.values(type.getFields()).flatMap((field) =>
    fieldsOf(field.type, [...path, snakeCase(field.name)]),
  );
  return [{ path, type: declared }, ...below];
}

const wrongValues = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    ' ',
    'x',
    '\0',
    '\u202e',
    '🦊'.repeat(300),
    'x'.repeat(70_000),
  ],
  ...[
    [],
    [[]],
    [null],
    {},
    { a: 1 },
    { __proto__: 1 },
    'true',
    '1',
    '../../etc/passwd',
    '$where',
    '{"$gt":""}',
  ],
  ...[{ $gt: '' }, { $where: 'sleep(1)' }, ['x'.repeat(1000)], '2026-99-99T00:00:00Z', 'NaN', '-0', '1e999'],
];

/** Texts that stand in a body, a query or a header as they are. */
const brokenJson = [
  '{',
  '{"name":',
  '[1,]',
  'NaN',
  "{'name':1}",
  '{"a":1}{',
  '\ufeff{}',
  '"\\ud800"',
  '{"a":01}',
  '\0',
];

const quoted = (value: unknown) => JSON.stringify(value) ?? 'null';

/** One request of a random kind. Every one brings its framing with it and asks to close the connection. */
export function malformed(random: Random, key: string): Malformed {
  const target = random.pick(targets);
  const { method } = target.operation.rest;
  const id = () =>
    random.pick(['x', 'a%20b', '00000000-0000-0000-0000-000000000000', '%00', '%F0%9F%A6%8A', '0']);
  const path = () => `/v1${target.operation.rest.path.replace(/\{\w+\}/g, id)}`;
  const auth = random.chance(0.05) ? 'authorization: Bearer \x80\xff' : `x-gateway-api-key: ${key}`;
  const frame = (line: string, headers: string[], body: Buffer | string = '') => {
    const bytes = Buffer.from(body);
    const head = [line, 'host: x', 'connection: close', auth, ...headers];
    if (bytes.length > 0) head.push(`content-length: ${bytes.length}`);
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
  };
  const json = 'content-type: application/json';
  const send = (kind: string, line: string, headers: string[] = [], body: Buffer | string = '') => ({
    kind,
    bytes: frame(`${line} HTTP/1.1`, headers, body),
  });
  const line = (at = path(), as: string = method) => `${as} ${at}`;

  return random.weighted<Malformed>([
    [8, () => send('value', line(), [json], quoted(withWrongValue(random, target)))],
    [3, () => send('query', line(`${path()}?${wrongQuery(random, target.query)}`), [json], '{}')],
    [2, () => send('json', line(), [json], random.pick(brokenJson))],
    [1, () => send('depth', line(), [json], '['.repeat(random.below(100_000)))],
    [1, () => send('bytes', line(), [json], Buffer.from(random.list(40, () => random.below(256))))],
    [1, () => send('type', line(), [`content-type: ${random.pick(mediaTypes)}`], '{"name":"x"}')],
    [0.2, () => send('size', line(), [json], Buffer.alloc(1024 * 1024 + random.below(3), 'x'))],
    [2, () => send('path', line(random.pick(pathTricks)(path())))],
    [1, () => send('id', line(path().replace(/[^/]*$/, 'x'.repeat(random.below(60_000)))))],
    [2, () => send('method', line(path(), random.pick(methods)), random.chance(0.5) ? [json] : [], '')],
    [2, () => send('header', line(), [random.pick(badHeaders), json], '{"name":"x"}')],
    [
      0.5,
      () =>
        send(
          'flood',
          line(),
          random.list(random.below(3000), (index) => `x-${index}: ${index}`),
        ),
    ],
    [0.5, () => send('large header', line(), [`x-large: ${'x'.repeat(random.below(100_000))}`])],
    [2, () => ({ kind: 'framing', bytes: badFraming(random, line(), auth), ends: true })],
    [2, () => ({ ...send('leaving', line(), ['content-length: 1000', json], '{"na'), leaves: true })],
    [1, () => cut(random, send('cut', line(), [json], quoted(withWrongValue(random, target))))],
    [
      1,
      () =>
        pipeline(
          random,
          random.list(1 + random.below(8), () => frame(`${line()} HTTP/1.1`, [json], '{}')),
        ),
    ],
    [
      1,
      () => ({
        kind: 'noise',
        bytes: Buffer.from(random.list(random.below(200), () => random.below(256))),
        ends: true,
      }),
    ],
  ]);
}

/** A body with one member of the wrong kind, an unknown one, or a member twice. */
function withWrongValue(random: Random, { fields }: Target): unknown {
  const value = random.pick(wrongValues);
  const field = fields.length > 0 ? random.pick(fields) : undefined;
  if (!field || random.chance(0.1))
    return random.chance(0.5) ? value : { [random.pick(unknownNames)]: value };
  return field.path.reduceRight<unknown>(
    (below, step) => (step === '0' ? [below] : { [step]: below }),
    value,
  );
}

const unknownNames = [
  'foo',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a.b',
  '$set',
  '_bsontype',
  'input',
  'id',
];

function wrongQuery(random: Random, names: string[]): string {
  const name = () =>
    names.length > 0 && random.chance(0.8) ? random.pick(names) : random.pick(unknownNames);
  const text = () => {
    const value = random.pick(wrongValues);
    return encodeURIComponent(typeof value === 'string' ? value.slice(0, 2000) : quoted(value));
  };
  const forms = [
    () => `${name()}=${text()}`,
    () => `${name()}=${text()}&${name()}=${text()}`,
    () => `${name()}[]=${text()}&${name()}[0]=${text()}`,
    () => `${name()}[a][b]=${text()}`,
    () => `${name()}=%zz&${name()}=%`,
    () => `${name()}=%ff%fe&%c3`,
    () => `${name()}=${'a,'.repeat(random.below(3000))}`,
    () => `${name()}=1&`.repeat(random.below(2000)),
    () => '&&==&=&?',
  ];
  return random.pick(forms)();
}

const pathTricks: ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `${path}/..`,
  (path) => `${path}/../../../etc/passwd`,
  (path) => `${path}/%2e%2e/%2E%2E`,
  (path) => path.replaceAll('/', '%2f'),
  (path) => path.replaceAll('/', '\\'),
  (path) => `${path}%`,
  (path) => `${path}%zz`,
  (path) => `${path}%c3%28`,
  (path) => `${path}%00`,
  (path) => `${path};a=b`,
  (path) => `${path}#fragment`,
  (path) => `${path}?`,
  (path) => path.toUpperCase(),
  (path) => `http://elsewhere${path}`,
  (path) => `${path}\0`,
  (path) => `${path}\xff\xfe`,
  (path) => path.slice(1),
  () => '*',
  () => '/v1',
  () => '/v1/',
  () => '/v1/configs/:slug',
];

const methods = [
  ...[
    'PATCH',
    'TRACE',
    'PROPFIND',
    'OPTIONS',
    'HEAD',
    'CONNECT',
    'PURGE',
    'get',
    'FOO',
    'GET\t',
    '',
    'POST POST',
  ],
  ...['DELETE', 'PUT', 'POST', 'GET', 'LOCK', 'QUERY'],
];

const mediaTypes = [
  ...[
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data',
    'application/',
    ';',
    'a'.repeat(5000),
  ],
  ...['application/x-www-form-urlencoded', 'application/json, text/html', 'application/jsonp', '*/*', '\xff'],
];

const badHeaders = [
  ...['if-match: x', 'if-match: "a', 'if-match: *', 'if-none-match: *', `if-match: ${'"a",'.repeat(5000)}`],
  ...[
    'if-none-match: W/',
    `if-none-match: ${'"a" '.repeat(5000)}`,
    'idempotency-key: ',
    'idempotency-key: a b',
  ],
  ...[`idempotency-key: ${'x'.repeat(300)}`, 'idempotency-key: same', 'idempotency-key: \xff'],
  ...[
    'accept: \x01',
    'accept: text/html;q=x',
    'content-encoding: gzip',
    'expect: 100-continue',
    'expect: magic',
  ],
  ...[
    'x-request-id: <script>',
    `x-request-id: ${'x'.repeat(5000)}`,
    'x-gateway-config: {',
    'x-gateway-metadata: [',
  ],
  ...[
    'authorization: Basic x',
    'authorization: Bearer ',
    `x-gateway-api-key: ${'x'.repeat(2000)}`,
    'cookie: a=b;;',
  ],
  ...[
    'upgrade: websocket',
    'range: bytes=0-',
    'te: trailers',
    'host: y',
    'bad header',
    ': x',
    'x y: z',
    'a: \0',
  ],
];

function badFraming(random: Random, line: string, auth: string): Buffer {
  const head = `${line} HTTP/1.1\r\nhost: x\r\n${auth}\r\ncontent-type: application/json\r\n`;
  const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
  return Buffer.from(
    random.pick([
      `${chunked}zz\r\n{}\r\n0\r\n\r\n`,
      `${chunked}-2\r\n{}\r\n0\r\n\r\n`,
      `${chunked}2\r\n{}`,
      `${chunked}2\r\n{}xx\r\n0\r\n\r\n`,
      `${chunked}fffffffffffffffff\r\n{}`,
      `${chunked}2;${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      `${chunked}${'1\r\n{\r\n'.repeat(1000)}0\r\n\r\n`,
      `${chunked}2\r\n{}\r\n0\r\nx: y\r\n\r\n`,
      `${head}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`,
      `${head}content-length: -1\r\n\r\n`,
      `${head}content-length: 99999999999999999999\r\n\r\n`,
      `${head}content-length: 2x\r\n\r\n{}`,
      `${head}content-length: 5\r\n\r\n{}`,
      `${head}transfer-encoding: gzip\r\n\r\n{}`,
      `${head}transfer-encoding: chunked, identity\r\n\r\n{}`,
      `${line} HTTP/1.1\n\n`,
      `${line} HTTP/9.9\r\n\r\n`,
      `${line}\r\n\r\n`,
      `${line} HTTP/1.0\r\n\r\n`,
      `\r\n\r\n${line} HTTP/1.1\r\n\r\n`,
      `${head}\r\n\r\n\r\nGET`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
    ]),
    'latin1',
  );
}

/** The first part of a request. */
const cut = (random: Random, { kind, bytes }: Malformed): Malformed => ({
  kind,
  bytes: bytes.subarray(0, random.below(bytes.length)),
  ends: true,
  leaves: random.chance(0.5),
});

/** Several requests in one go, all but the last on a connection that stays. */
const pipeline = (random: Random, frames: Buffer[]): Malformed => ({
  kind: 'pipeline',
  bytes: Buffer.concat(
    frames.map((frame, index) =>
      index === frames.length - 1
        ? frame
        : Buffer.from(frame.toString('latin1').replace('connection: close\r\n', ''), 'latin1'),
    ),
  ),
  leaves: random.chance(0.2),
});
