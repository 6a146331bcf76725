/** What Deno gives to the programs of boxes, as far as they use it. */
type DenoHost = {
  Deno: {
    args: string[];
    exit(code: number): never;
    stdin: { read(buffer: Uint8Array): Promise<number | null> };
    stdout: { writeSync(bytes: Uint8Array): number };
    readFile(path: string): Promise<Uint8Array>;
  };
  Worker: new (
    url: URL,
    options: { type: 'module' },
  ) => {
    onmessage: (event: { data: unknown }) => void;
    onerror: (event: { message: string; preventDefault(): void }) => void;
    postMessage(message: unknown, transfer: ArrayBufferLike[]): void;
  };
  /** In a worker. */
  onmessage: (event: { data: unknown }) => void;
  /** In a worker. */
  postMessage(message: unknown, transfer: ArrayBufferLike[]): void;
};

export const host = globalThis as unknown as DenoHost;
