/** The wheel, the source archive, and the programs in the documentation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOME, python, runPython } from './python.ts';

const ROOT = join(HOME, '../..');
const pages = [join(HOME, 'README.md'), join(ROOT, 'docs/python.md')];

describe.skipIf(python === undefined)('the Python package', () => {
  it('builds the same wheel from a checkout and from its source archive', {
    timeout: 60_000,
  }, async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { stdout, stderr } = await runPython(['check_package.py', version]);
    expect(stderr).toBe('');
    expect(stdout).toBe('good\n');
  });

  it('has documentation whose programs compile', async () => {
    const programs = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/^```python\n(.*?)^```/gms)].map(([, code]) => code!),
    );
    expect(programs.length).toBeGreaterThan(12);
    const compile = 'import json, sys; [compile(p, "docs", "exec") for p in json.load(sys.stdin)]';
    const { code, stderr } = await runPython(['-c', compile], { input: [JSON.stringify(programs)] });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
