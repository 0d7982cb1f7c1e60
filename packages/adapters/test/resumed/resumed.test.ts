/** A run that is resumed in two processes, or again after a crash, writes once: real frameworks, service and processes. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@writecheck/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RealService, startRealService } from '../real-service.ts';
import { FRAMEWORKS } from './frameworks.ts';

let service: RealService;
let folder: string;
beforeAll(async () => {
  service = await startRealService();
  await service.applyPolicy({ assured: false });
  folder = mkdtempSync(join(tmpdir(), 'writecheck-resumed-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly said: readonly string[];
}

function resume(framework: string, ...runs: readonly string[]): Promise<Ended> {
  const program = join(import.meta.dirname, 'resume.ts');
  const args = ['--conditions=writecheck-source', program, framework, service.url, service.apiKey, folder];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...args, ...runs], (_, stdout) =>
      resolve({ code: child.exitCode, said: stdout.trim().split('\n').filter(Boolean) }),
    );
  });
}

const written = (run: string): number => {
  const file = join(folder, `${run}.written`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

for (const [framework, load] of Object.entries(FRAMEWORKS)) {
  // The others take long to load, three processes each.
  const isSlow = framework !== 'AI SDK';
  const options = { timeout: 120_000, ...(isSlow ? { tags: ['nightly'] } : {}) };
  const name = `${framework}: resumed in two processes it writes once, and after a crash behind the write not again`;
  it(name, options, async () => {
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const write = () => {
      throw new Error('nothing runs before it is resumed');
    };
    const [shared, crashed] = [`${framework} shared`, `${framework} crashed`];
    const { begin } = await load();
    for (const run of [shared, crashed]) {
      const saved = await begin({ client, write }, `call of ${run}`);
      writeFileSync(join(folder, `${run}.run`), saved);
    }
    const [first, second] = await Promise.all([
      resume(framework, shared, `${crashed}!`),
      resume(framework, shared),
    ]);
    expect([first.said[0], second.said[0]].toSorted()).toEqual(['taken', 'wrote']);
    expect([written(shared), first.code, written(crashed)]).toEqual([1, 3, 1]);
    expect(await resume(framework, crashed)).toEqual({ code: 0, said: ['taken'] });
    expect([written(shared), written(crashed)]).toEqual([1, 1]);
  });
}
