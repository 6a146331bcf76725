/** What the scan uses of WebAssembly: the types of Node have it not, and those of browsers bring far more. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer;
    constructor(size: { initial: number; maximum: number });
    /** `delta` in pages of 64 KiB. */
    grow(delta: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    readonly exports: Record<string, unknown>;
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
  }
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
