/** Builds the console into the folder that the service serves, and compresses each file in advance. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { OUTPUT } from './console-build.ts';

/** The running service that vite's development server proxies to. */
const SERVICE = process.env.WRITECHECK_URL ?? 'http://127.0.0.1:8080';

const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  closeBundle() {
    for (const name of readdirSync(OUTPUT, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(html|js|css|svg)$/.test(name)) continue;
      const file = join(OUTPUT, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

/** The font's license asks to travel with it. */
const licensed: Plugin = {
  name: 'licensed',
  apply: 'build',
  closeBundle() {
    copyFileSync(join(import.meta.dirname, 'src/font/OFL.txt'), join(OUTPUT, 'assets/geist-OFL.txt'));
  },
};

/** A process of its own resolves our packages to their sources. */
const REQUIRED_MEMBERS = execFileSync(
  process.execPath,
  ['--conditions=writecheck-source', join(import.meta.dirname, 'required-members.ts')],
  { encoding: 'utf8' },
);

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a proxy can serve it under a path.
  base: './',
  // Resolve our packages to their sources.
  resolve: { conditions: ['writecheck-source', 'module', 'browser', 'development|production'] },
  define: { REQUIRED_MEMBERS },
  oxc: { jsx: { importSource: 'preact' } },
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    target: 'es2024',
    // The page's content security policy forbids `data:` scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A slow machine is not worth a warning.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // The first view lists all of them, and names do not compress.
      output: { chunkFileNames: 'assets/[hash].js' },
    },
  },
  server: { proxy: { '/v1': SERVICE, '/healthz': SERVICE, '/openapi.json': SERVICE } },
  plugins: [compressed, licensed],
});
