import { PrismaPg } from '@prisma/adapter-pg';
import { getPrismaClient } from '@prisma/client/runtime/client';

/**
 * Prisma's client, its query compiler and its PostgreSQL adapter, for a schema without models: what its generator
 * writes for one, which cannot run everywhere because it fetches a program first. Raw calls need no more.
 */
export function openPrisma(connectionString: string) {
  const Client = getPrismaClient({
    previewFeatures: [],
    clientVersion: '7.10.0',
    engineVersion: 'none',
    activeProvider: 'postgresql',
    inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: 'AAAA' },
    compilerWasm: {
      getRuntime: () => import(`${COMPILER}.mjs`),
      async getQueryCompilerWasmModule() {
        const { wasm } = await import(`${COMPILER}.wasm-base64.mjs`);
        return new WebAssembly.Module(Buffer.from(wasm, 'base64'));
      },
      importName: './query_compiler_fast_bg.js',
    },
  });
  return new Client({ adapter: new PrismaPg({ connectionString, max: 2 }) });
}

const COMPILER = '@prisma/client/runtime/query_compiler_fast_bg.postgresql';

// Node has it; the types we compile with leave it to browsers.
declare const WebAssembly: { Module: new (code: Uint8Array) => unknown };
