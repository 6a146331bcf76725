import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Sleep } from '../../src/auth/index.ts';
import type { LogRecord } from '../../src/recording/log/record.ts';
import { startApp, type TestApp } from './app.ts';
import { type Script, type ScriptedProvider, startProvider } from './provider.ts';
import { someRecordsOf } from './records.ts';

export type CallOptions = {
  method?: string;
  /** With `/v1`. */
  path?: string;
  headers?: Record<string, string | string[] | undefined>;
  /** Bytes and texts go as they are, anything else as JSON. */
  body?: unknown;
  /** Gateway key in `x-gateway-api-key`; null sends none. */
  key?: string | null;
  /** `x-gateway-config`: an object goes as JSON. */
  config?: unknown;
  signal?: AbortSignal;
};

export type RawAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Name and value of each header line, as it came. */
  lines: [string, string][];
  body: Buffer;
  text: string;
  json: any;
};

/** A call, its records oldest first, and the last of them. */
export type Logged = { answer: RawAnswer; records: LogRecord[]; record: LogRecord };

export type World = {
  app: TestApp;
  provider: ScriptedProvider;
  /** Catalogue provider of the kind `openai` that leads to `provider` with the credential STORED_KEY. */
  slug: string;
  /** A whole exchange over a real socket, nothing decoded; rejects when the answer breaks off. */
  call(options?: CallOptions): Promise<RawAnswer>;
  /** The same up to the answer's head: the body is read by the caller. */
  open(options?: CallOptions): Promise<IncomingMessage>;
  /** Sets the provider's part and makes a call under a trace of its own; waits for the records that it leaves. */
  logged(script: Script | Script[], options?: CallOptions): Promise<Logged>;
  /** A trace id that no other call of this world has. */
  newTrace(): string;
  /** A catalogue provider, made over REST; answers its slug. */
  makeProvider(integration?: object, provider?: object): Promise<string>;
  stop(): Promise<void>;
};

export const STORED_KEY = 'sk-stored-credential-0123456789';
export const messages = [{ role: 'user', content: 'hello there' }];

/** An app, a scripted provider, and a catalogue entry from one to the other. `sleep`: how the app waits; not at all unless given. */
export async function startWorld(
  env: Record<string, string> = {},
  sleep?: Sleep,
  now?: () => Date,
): Promise<World> {
  const app = await startApp(env, sleep, now);
  const provider = await startProvider();
  const agent = new Agent({ keepAlive: true });
  let count = 0;

  const open = (options: CallOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method = 'POST', path = '/v1/chat/completions', key = app.workspaceKey, config } = options;
      const body = bodyOf(options, method, slug);
      const request = httpRequest(`${app.url}${path}`, {
        agent,
        method,
        maxHeaderSize: 128 * 1024,
        signal: options.signal,
        headers: given({
          ...(key !== null && { 'x-gateway-api-key': key }),
          ...(body !== null && { 'content-type': 'application/json', 'content-length': String(body.length) }),
          ...(config !== undefined && {
            'x-gateway-config': typeof config === 'string' ? config : JSON.stringify(config),
          }),
          ...options.headers,
        }),
      });
      request.on('response', resolve);
      request.on('error', reject);
      request.end(body);
    });

  async function makeProvider(integration: object = {}, details: object = {}): Promise<string> {
    const name = `loop-${++count}`;
    await created(app, '/v1/integrations', {
      name,
      slug: name,
      ai_provider_id: 'openai',
      key: STORED_KEY,
      configurations: { custom_host: provider.url },
      create_default_provider: false,
      ...integration,
    });
    await created(app, '/v1/providers', { name, slug: name, integration_id: name, ...details });
    return name;
  }

  const call = async (options?: CallOptions) => read(await open(options));

  let traces = 0;
  const newTrace = () => `trace-${++traces}`;
  async function logged(script: Script | Script[], options: CallOptions = {}): Promise<Logged> {
    const traceId = newTrace();
    provider.play(...[script].flat());
    const answer = await call({ ...options, headers: { 'x-gateway-trace-id': traceId, ...options.headers } });
    const records = await someRecordsOf(app, { traceId });
    return { answer, records, record: records.at(-1) as LogRecord };
  }

  const slug = await makeProvider();
  return {
    app,
    provider,
    slug,
    open,
    call,
    logged,
    newTrace,
    makeProvider,
    async stop() {
      agent.destroy();
      await app.stop();
      await provider.stop();
    },
  };
}

/** The rest of an answer; rejects when it breaks off. */
export async function read(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const text = body.toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    lines: response.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [[name, all[index + 1] ?? ''] as [string, string]] : [],
    ),
    body,
    text,
    json: parse(text),
  };
}

/** Headers without those that are undefined, by which a test leaves one of the defaults out. */
const given = (headers: CallOptions['headers'] & object) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

function bodyOf({ body }: CallOptions, method: string, slug: string): Buffer | null {
  if (body === undefined) {
    if (method === 'GET' || method === 'DELETE') return null;
    return Buffer.from(JSON.stringify({ model: `@${slug}/gpt-test`, messages }));
  }
  if (body === null) return null;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A REST creation that must succeed; answers its body. */
export async function created(app: TestApp, path: string, body: object, key?: string): Promise<any> {
  const answer = await app.rest('POST', path, { body, key });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Waits until `probe` gives a value that is not falsy; a test that waits in vain runs into its own time limit. */
export async function until<T>(probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await probe();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
