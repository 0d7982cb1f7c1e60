import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the package needs nothing but JavaScript and text encoding', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL('./index.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'contract',
    write: false,
    metafile: true,
    conditions: ['writecheck-source'],
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  expect(imports.filter((path) => path.startsWith('node:'))).toEqual([]);
  // No process, no Buffer and no code from strings, as under a strict content security policy.
  const answer = runInNewContext(
    `${outputFiles[0]!.text}
    const body = '{"system":"pay","operation":"refund.create"}';
    const parsed = contract.parseIntent(new TextEncoder().encode(body));
    contract.intentDigest(parsed.intent) + ' ' + contract.parseInstant('1970-01-01T00:00:01Z').ms;`,
    { TextEncoder, TextDecoder },
    { contextCodeGeneration: { strings: false, wasm: false } },
  );
  expect(answer).toMatch(/^sha256:[0-9a-f]{64} 1000$/);
});
