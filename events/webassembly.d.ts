/** The part of the WebAssembly API that Node has and its types for version 20 do not name. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: ArrayBufferView | ArrayBuffer);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, never>);
    readonly exports: unknown;
  }
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
  }
}
