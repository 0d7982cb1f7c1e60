import { createContext, runInContext } from 'node:vm';
import { intentDigest } from '@writecheck/contract';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { decisionEntry, exportOf, mixedEntries, TestLog, WORKSPACE } from './test-log.ts';
import { SIGNER } from './test-signer.ts';

async function bundle() {
  const result = await build({
    entryPoints: [new URL('../src/index.ts', import.meta.url).pathname],
    ...{ bundle: true, platform: 'browser', format: 'iife', globalName: 'ledger' },
    ...{ conditions: ['writecheck-source'], write: false, metafile: true, logLevel: 'silent' },
  });
  return { code: result.outputFiles[0]!.text, metafile: result.metafile };
}

describe('in a browser', () => {
  it('the package is bundled without any Node module', async () => {
    const { metafile } = await bundle();
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter(({ path, external }) => external === true || path.startsWith('node:'))).toEqual([]);
  });

  it('receipts and exports verify with only the web platform', async () => {
    const { code } = await bundle();
    const web = { crypto, TextEncoder, TextDecoder, atob, btoa };
    const context = createContext({ ...web });
    runInContext(code, context);

    const intent = { system: 'pay', operation: 'refund.create' };
    const log = new TestLog([
      decisionEntry(0, { intentDigest: intentDigest(intent) }),
      ...mixedEntries(9).slice(1),
    ]);
    const ask = async (program: string, input: unknown): Promise<unknown> =>
      JSON.parse(
        await runInContext(`${program}(JSON.parse(${JSON.stringify(JSON.stringify(input))}))`, context),
      );
    const question = { receipt: log.receipt(0), keys: [SIGNER.line], workspace: WORKSPACE };
    const now = Date.parse('2026-11-15T04:01:00.000Z');
    const verify = 'async (q) => JSON.stringify(await ledger.verifyReceipt(q))';
    expect(await ask(`(${verify})`, { ...question, intent, now })).toMatchObject({ ok: true });
    expect(await ask(`(${verify})`, { ...question, intent: { ...intent, field: 'x' }, now })).toMatchObject({
      ok: false,
    });
    const check = '(async (q) => JSON.stringify(await ledger.verifyExport(q.lines, q)))';
    const lines = exportOf(log);
    expect(await ask(check, { lines, keys: [SIGNER.line] })).toMatchObject({ ok: true });
    expect(await ask(check, { lines: lines.toSpliced(3, 1), keys: [SIGNER.line] })).toMatchObject({
      ok: false,
    });
  });
});
