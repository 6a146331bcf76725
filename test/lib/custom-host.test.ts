import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpUpstream, type HttpUpstream } from '../../src/dataplane/send/http.ts';
import { close, listen } from '../../src/http/server.ts';
import { createHostPolicy, customHostProblem, ownHosts } from '../../src/lib/http/custom-host.ts';

describe('hosts that can never be named', () => {
  test.each([
    ['no URL', 'example.com/v1'],
    ['another protocol', 'ftp://example.com'],
    ['a file', 'file:///etc/passwd'],
    ['one slash', 'http:/example.com'],
    ['no host', 'https://'],
    ['a path alone', 'https:///v1'],
    ['credentials', 'https://user:pw@example.com'],
    ['a user', 'https://user@example.com'],
    ['an empty user', 'https://@example.com'],
    ['@ in the path', 'http://example.com/@x'],
    ['@ in the query', 'https://example.com/?a=b@c'],
    ['a host behind a user', 'https://api.openai.com@169.254.169.254/'],
    ['a space', 'https://exa mple.com'],
    ['a tab', 'https://example.com/\tv1'],
    ['a line break', 'https://example.com/\r\nx'],
    ['a control character', 'https://example.com/\u0000'],
    ['a later control character', 'https://example.com/\u0085'],
    ['a backslash', 'https://example.com\\@evil.example'],
    ['an encoded host', 'https://%65xample.com'],
    ['a host beyond ASCII', 'https://exämple.com'],
    ['full-width digits', 'http://１２７.0.0.1'],
    ['punycode', 'https://xn--exmple-cua.com'],
    ['a trailing dot', 'https://example.com./v1'],
    ['an empty label', 'http://a..com'],
    ['an empty first label', 'http://.com'],
    ['a label that begins with a hyphen', 'http://-a.com'],
    ['a label that ends with a hyphen', 'http://a-.com'],
    ['a label of 64 characters', `https://${'a'.repeat(64)}.com`],
    ['an underscore', 'https://a_b.example.com'],
    ['eleven labels', `https://${'a.'.repeat(10)}com`],
    ['a port beyond the range', 'https://example.com:65536'],
    ['port 0', 'https://example.com:0'],
    ['no number as port', 'https://example.com:x'],
    ['2049 characters', `https://example.com/${'a'.repeat(2029)}`],
    ['decimal IPv4', 'http://2130706433/'],
    ['hexadecimal IPv4', 'http://0x7f000001/'],
    ['hexadecimal parts', 'http://0x7f.0.0.1/'],
    ['octal parts', 'http://0177.0.0.1/'],
    ['short IPv4', 'http://127.1/'],
    ['one number too many', 'http://1.2.3.4.5.6.7.8'],
    ...[
      '169.254.169.254',
      '169.254.169.1',
      '169.254.170.2',
      '169.254.170.23',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '[fd00:ec2::254]',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[0:0:0:0:0:ffff:a9fe:a9fe]',
      '[::169.254.169.254]',
      '[64:ff9b::a9fe:a9fe]',
      '[::ffff:0:169.254.169.254]',
      '[2002:a9fe:a9fe::1]',
      'metadata',
      'METADATA',
      'instance-data',
      'kubernetes',
      'metadata.google.internal',
      'x.metadata.google.internal',
      'metadata.azure.internal',
      'kubernetes.default.svc.cluster.local',
      'vault.service.consul',
      'consul',
      'metadata.goog',
      'metadata.tencentyun.com',
      'instance-data.ec2.internal',
      'kubernetes.default',
      'kubernetes.default.svc',
      '10.0.0.1.nip.io',
      'a.sslip.io',
      'xip.io',
      'localtest.me',
      'x.lvh.me',
      'vcap.me',
      'a.traefik.me',
      'x.localhost.run',
    ].map((host) => [host, `http://${host}/v1`] as const),
    ...[
      21, 22, 23, 25, 53, 110, 143, 389, 445, 465, 587, 636, 993, 995, 1433, 1521, 2049, 2375, 2379, 3306,
      3389,
    ]
      .concat([5432, 5672, 5900, 6379, 6443, 9042, 9092, 9200, 9300, 10250, 11211, 27017])
      .concat([69, 111, 139, 873, 2181, 2376, 5671, 6380, 10255, 26379, 27018])
      .map((port) => [`port ${port}`, `https://example.com:${port}`] as const),
  ])('%s: %j', (_name, url) => {
    expect(customHostProblem(url)).not.toBeNull();
    expect(createHostPolicy(['*.com', '*.me', 'metadata', '169.254.169.254']).problem(url)).not.toBeNull();
  });
});

describe('hosts that may be named', () => {
  test.each([
    'https://api.openai.com/v1',
    'HTTPS://API.OpenAI.com/v1/',
    'http://example.com',
    'https://example.com:8443/a/b?x=1#y',
    'https://example.com:65535',
    'https://a-b.c-d.example.com',
    'https://a--b.example.com',
    `https://${'a'.repeat(63)}.com`,
    `https://${'a.'.repeat(9)}com`,
    'http://8.8.8.8:8000/v1',
    'http://[2606:4700:4700::1111]/v1',
    'https://metadata.example.com',
    'https://mylocal.com',
    'https://nip.io.example.com',
    `https://example.com/${'a'.repeat(2028)}`,
  ])('%s', (url) => {
    expect(customHostProblem(url)).toBeNull();
    expect(createHostPolicy([]).problem(url)).toBeNull();
  });
});

describe('the gateway itself', () => {
  const policy = createHostPolicy(
    ['*.example.com', '127.0.0.1', '::1', 'localhost', '10.0.0.5'],
    [...ownHosts({ host: '10.0.0.5', port: 8787 }, 'https://gateway.example.com/ai')],
  );

  test.each([
    ['https://gateway.example.com', true],
    ['https://GATEWAY.example.com:443/v1', true],
    ['http://localhost:8787/v1', true],
    ['http://127.0.0.1:8787', true],
    ['http://[::1]:8787/v1', true],
    ['http://10.0.0.5:8787', true],
    ['https://gateway.example.com:8443/v1', false],
    ['https://other.example.com', false],
    ['http://localhost:9999/v1', false],
  ])('%s is refused, trusted or not: %s', (url, refused) => {
    const problem = policy.problem(url);
    if (refused) expect(problem).toMatch(/is the gateway itself/);
    else expect(problem).toBeNull();
  });
});

describe('private hosts', () => {
  const hosts = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.0.9',
    '169.254.1.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::8.8.8.8',
    '64:ff9b::8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'localhost',
    'api.localhost',
    'printer.local',
    'x.localdomain',
    'db.internal',
    'wiki.intranet',
    'nas.lan',
    'x.home',
    'x.corp',
    'x.test',
    'x.invalid',
    'x.onion',
    'ollama',
    'host.docker.internal',
  ];
  const urlOf = (host: string) => `http://${host.includes(':') ? `[${host}]` : host}:8000/v1`;

  test.each(hosts)('%s is refused', (host) => {
    expect(customHostProblem(urlOf(host))).toBeNull();
    expect(createHostPolicy([]).problem(urlOf(host))).toMatch(/TRUSTED_HOSTS/);
  });

  test.each(hosts.filter((host) => !/^::(ffff:|127)|64:ff9b/.test(host)))(
    '%s is allowed when it is trusted',
    (host) => {
      const canonical = new URL(urlOf(host)).hostname.replace(/^\[|\]$/g, '');
      expect(createHostPolicy([canonical]).problem(urlOf(host))).toBeNull();
    },
  );

  test.each([
    ['*.lan', 'nas.lan', true],
    ['*.lan', 'a.b.lan', true],
    ['*.lan', 'lan', true],
    ['*.lan', 'xlan', false],
    ['*.office.lan', 'nas.lan', false],
    ['nas.lan', 'a.nas.lan', false],
    ['nas.lan', 'nas.lan', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['*', 'nas.lan', false],
    ['', 'nas.lan', false],
  ])('the rule %j and the host %s: %s', (rule, host, allowed) => {
    expect(createHostPolicy([rule]).problem(`http://${host}/`) === null).toBe(allowed);
  });

  test.each([
    '172.15.0.1',
    '172.32.0.1',
    '11.0.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '192.169.0.1',
    '100.63.0.1',
  ])('%s is a public neighbour of theirs', (host) => {
    expect(createHostPolicy([]).problem(urlOf(host))).toBeNull();
  });
});

describe('resolved addresses', () => {
  test.each([
    [[], 'api.example.com', '8.8.8.8', true],
    [[], 'api.example.com', '10.0.0.1', false],
    [[], 'api.example.com', '::1', false],
    [[], 'api.example.com', '::ffff:10.0.0.1', false],
    [[], 'api.example.com', '::ffff:8.8.8.8', false],
    [['api.example.com'], 'api.example.com', '10.0.0.1', true],
    [['api.example.com'], 'API.Example.com', '10.0.0.1', true],
    [['*.example.com'], 'api.example.com', '10.0.0.1', true],
    [['10.0.0.1'], 'api.example.com', '10.0.0.1', true],
    [['10.0.0.1'], 'api.example.com', '10.0.0.2', false],
    [['api.example.com'], 'api.example.com', '169.254.169.254', false],
    [['169.254.169.254'], 'api.example.com', '169.254.169.254', false],
    [['api.example.com'], 'api.example.com', 'fd00:ec2::254', false],
  ])('trusting %j, %s at %s: %s', (trusted, host, address, allowed) => {
    expect(createHostPolicy(trusted).addressProblem(host, address) === null).toBe(allowed);
  });
});

/** The check at connect time, on a real socket: `localhost` passes for a name that an attacker resolves to loopback. */
describe('connections', () => {
  let port: number;
  let hits = 0;
  const server = createServer((_request, response) => {
    hits++;
    response.end('reached');
  });
  const upstreams: HttpUpstream[] = [];

  beforeAll(async () => {
    port = await listen(server, '127.0.0.1', 0);
  });
  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
    await close(server, 0);
  });

  const connect = (trusted: string[]) =>
    new Promise<string>((resolve) => {
      const upstream = createHttpUpstream({
        hostPolicy: createHostPolicy(trusted),
        ownPorts: new Set(),
        connectTimeout: 1000,
      });
      upstreams.push(upstream);
      upstream.send(
        { origin: `http://localhost:${port}`, path: '/', method: 'GET', headers: {}, body: null },
        {
          head: (status) => status === 200,
          data: () => true,
          end: () => resolve('reached'),
          fail: (failure, cause) => resolve(`${failure}: ${cause.message}`),
        },
      );
    });

  test('a name that resolves to a private address is not connected to', async () => {
    expect(await connect([])).toBe('connect: localhost resolves to a private address');
    expect(hits).toBe(0);
  });

  test('unless it is trusted', async () => {
    expect(await connect(['localhost'])).toBe('reached');
    expect(hits).toBe(1);
  });
});
