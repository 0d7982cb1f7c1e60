/**
 * Published packages work: each is packed, unpacked into an empty project and used there.
 * @module-tag nightly
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPacked, linkModules, type Packed, run } from './install-packed.ts';
import { publicPackages, ROOT, readManifest } from './public-packages.ts';

const PACKAGES = publicPackages().map(({ manifest }) => manifest.name);
const SLOW = { timeout: 180_000 };

const place = mkdtempSync(join(tmpdir(), 'writecheck-packages-'));
const project = join(place, 'project');
let packed: readonly Packed[];
const packageOf = (name: string): Packed => packed.find(({ manifest }) => manifest.name === name)!;
const read = (name: string, file: string): string => readFileSync(join(packageOf(name).home, file), 'utf8');

beforeAll(async () => {
  packed = await installPacked(place, project);
  cpSync(join(import.meta.dirname, 'consumers'), project, { recursive: true });
  await build({
    entryPoints: [join(ROOT, 'conformance/client-kit/index.ts')],
    outfile: join(project, 'fail-closed-kit.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['writecheck-source'],
  });
}, 600_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe.for(PACKAGES)('%s', (name) => {
  test('has its license', () => {
    expect(read(name, 'LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  });

  test('contains no tests and no developer settings', () => {
    const files = readdirSync(packageOf(name).home, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /\.test\.|tsconfig|\.env|\.pem$/.test(file))).toEqual([]);
  });

  test('satisfies publint and are-the-types-wrong', SLOW, async () => {
    const { home, tarball, manifest } = packageOf(name);
    expect((await publint({ pkgDir: home, pack: false, strict: true })).messages).toEqual([]);
    // Modules that only our own packages import have no published types.
    if (manifest.exports === undefined || './*' in manifest.exports) return;
    // ESM only: the profile skips `require` and the old module resolution. Throws on an error.
    expect(await run('attw', ['--profile', 'esm-only', tarball], project)).toContain('🟢');
  });
});

describe('in plain JavaScript', () => {
  test('the client has no dependencies, imports nothing and stays under 12 KB gzipped', () => {
    expect(packageOf('@writecheck/client').manifest).not.toHaveProperty('dependencies');
    expect(gzipSync(read('@writecheck/client', 'dist/index.js'), { level: 9 }).length).toBeLessThan(12_000);
    for (const entry of ['index', 'evidence', 'receipt']) {
      expect(read('@writecheck/client', `dist/${entry}.js`)).not.toMatch(
        /\bimport\b[^;]{0,200}\bfrom\b|\bimport\s*\(|\brequire\s*\(/,
      );
    }
  });

  test.for(runtimes())(
    'the client passes the fail-closed kit under $name $version',
    SLOW,
    async (at, { skip }) => {
      skip(at.skip, 'there is no older Node on this machine');
      const flags = at.name === 'deno' ? ['run', '--allow-all', '--node-modules-dir=manual'] : [];
      const found = JSON.parse(await run(at.path, [...flags, 'client.js'], project));
      // Bun accepts headers of any size. The allow after them is valid, so writing is correct.
      const more = at.name === 'bun' ? ['headers of 1 MiB'] : [];
      expect(found).toMatchObject({
        failures: more,
        executed: 12 + more.length,
        local: true,
        cause: 'connection_failed',
        parts: 3,
        receipt: false,
      });
      expect(found.ran).toBeGreaterThan(120);
    },
  );

  test('the adapters work without the frameworks', async () => {
    expect(packageOf('@writecheck/adapters').manifest).not.toHaveProperty('dependencies');
    expect(existsSync(join(project, 'node_modules/ai'))).toBe(false);
    expect(read('@writecheck/adapters', 'dist/THIRD-PARTY-LICENSES.txt')).toMatch(/^canonicalize [\d.]+\n/m);
    expect(JSON.parse(await run('node', ['adapters.js'], project))).toEqual({
      ran: [],
      error: 'WriteStopped',
      said: expect.stringContaining('Not executed'),
      kind: 'stopped',
      denied: 'deny',
    });
  });

  test('every export can be imported', async () => {
    linkModules(project, ['langchain']);
    const paths = packed.flatMap(({ manifest: { name, exports = {} } }) =>
      Object.keys(exports).flatMap((path) => (/\.json$|\*/.test(path) ? [] : [join(name, path)])),
    );
    expect(paths.length).toBeGreaterThan(12);
    const code = `for (const path of ${JSON.stringify(paths)}) console.log(Object.keys(await import(path)).length > 0)`;
    const printed = await run('node', ['--input-type=module', '-e', code], project);
    // It has types alone.
    const isEmpty = (path: string) => path === '@writecheck/api/calls';
    expect(printed.trim().split('\n')).toEqual(paths.map((path) => String(!isEmpty(path))));
  });

  test.for(['@writecheck/contract', '@writecheck/engine'])(
    'the program in the README of %s runs',
    async (name) => {
      const [, program = '', printed = ''] =
        /```js\n(.*?console\.log.*?\/\/ (\w+).*?)```/s.exec(read(name, 'README.md')) ?? [];
      expect(await run('node', ['--input-type=module', '-e', program], project)).toMatch(
        new RegExp(`^${printed}`),
      );
    },
  );
});

describe('in TypeScript', () => {
  const options = {
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  };
  async function compile(typescript: string, file: string, compilerOptions: object): Promise<string> {
    const config = `tsconfig.${typescript}.${file}.json`;
    writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files: [file] }));
    return run('node', [join(ROOT, 'node_modules', typescript, 'bin/tsc'), '-p', config], project);
  }

  test.for([
    ['typescript-5.4', 'types-node-20', 'node16'],
    ['typescript', 'types-node-20', 'bundler'],
    ['typescript', '@types/node', 'nodenext'],
  ] as const)(
    'the declarations hold with %s, %s and %s, without the DOM library',
    SLOW,
    async ([typescript, node, resolution]) => {
      rmSync(join(project, 'node_modules/@types/node'), { force: true });
      mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', node), join(project, 'node_modules/@types/node'));
      const module = resolution === 'bundler' ? 'esnext' : resolution;
      const compilerOptions = { ...options, module, moduleResolution: resolution, skipLibCheck: false };
      expect(await compile(typescript, 'typed.ts', compilerOptions)).toBe('');
    },
  );

  test.for(['typescript-5.4', 'typescript'])(
    'the client needs neither the types of Node nor the DOM library with %s',
    SLOW,
    async (typescript) => {
      rmSync(join(project, 'node_modules/@types/node'), { force: true });
      const compilerOptions = {
        ...options,
        lib: ['es2022'],
        types: [],
        module: 'node16',
        skipLibCheck: false,
      };
      expect(await compile(typescript, 'typed-plain.ts', compilerOptions)).toBe('');
    },
  );

  test('the adapters fit the frameworks', SLOW, async () => {
    linkModules(project, ['ai', 'langchain', '@openai/agents', 'zod']);
    const compilerOptions = {
      ...options,
      lib: ['es2023', 'dom'],
      types: [],
      module: 'nodenext',
      skipLibCheck: true,
    };
    expect(await compile('typescript', 'typed-frameworks.ts', compilerOptions)).toBe('');
  });
});

describe('for an auditor', () => {
  /** Every package that npm would install along with it. */
  function installedWith(name: string, found = new Set<string>()): ReadonlySet<string> {
    const ours = packed.find(({ manifest }) => manifest.name === name);
    const { dependencies = {} } =
      ours?.manifest ?? readManifest(join(ROOT, 'node_modules', name, 'package.json'));
    for (const dependency of Object.keys(dependencies)) {
      if (found.has(dependency)) continue;
      found.add(dependency);
      installedWith(dependency, found);
    }
    return found;
  }

  test('installing the audit package brings no database driver and no MCP SDK', () => {
    expect([...installedWith('@writecheck/audit')].sort()).toEqual([
      '@noble/hashes',
      '@writecheck/contract',
      '@writecheck/engine',
      '@writecheck/ledger',
      'canonicalize',
      'commander',
      'yaml',
    ]);
  });

  test(
    'npm installs its tarball together with its siblings, without asking a registry for them',
    SLOW,
    async () => {
      const empty = join(place, 'tarballs');
      mkdirSync(empty);
      writeFileSync(join(empty, 'package.json'), JSON.stringify({ private: true }));
      const names = ['@writecheck/audit', ...installedWith('@writecheck/audit')];
      const others = names.filter((name) => packed.every(({ manifest }) => manifest.name !== name));
      // A registry has these. Here, without a network, they are packed from the installed modules.
      const homes = others.map((name) => join(ROOT, 'node_modules', name));
      await run('npm', ['pack', '--ignore-scripts', '--pack-destination', empty, ...homes], place);
      const tarballs = [
        ...readdirSync(empty).flatMap((file) => (file.endsWith('.tgz') ? [join(empty, file)] : [])),
        ...names.filter((name) => !others.includes(name)).map((name) => packageOf(name).tarball),
      ];
      await run('npm', ['install', '--no-audit', '--offline', ...tarballs], empty);
      expect(await run('node', ['node_modules/.bin/writecheck-audit', '--version'], empty)).toBe(
        `${packageOf('@writecheck/audit').manifest.version}\n`,
      );
    },
  );

  test.for(runtimes())('it runs under $name $version, or says which Node it needs', async (at, { skip }) => {
    skip(at.skip || at.name !== 'node', 'there is no older Node on this machine');
    const program = join(packageOf('@writecheck/audit').home, 'bin/writecheck-audit.js');
    const started = spawnSync(at.path, [program, '--version'], { encoding: 'utf8' });
    const { node: needed } = packageOf('@writecheck/audit').manifest.engines!;
    const [, oldest] = /^>=(\d+)$/.exec(needed!)!;
    const isOld = Number(/^v(\d+)/.exec(at.version)![1]) < Number(oldest);
    const words = `writecheck-audit needs Node ${oldest} or newer, and this is ${at.version}; install a newer Node and try again\n`;
    expect([started.status, started.stderr]).toEqual(isOld ? [2, words] : [0, '']);
  });

  test('its commands run with nothing else installed', async () => {
    const alone = join(place, 'auditor');
    for (const name of ['@writecheck/audit', ...installedWith('@writecheck/audit')]) {
      const ours = packed.find(({ manifest }) => manifest.name === name);
      if (ours === undefined) linkModules(alone, [name]);
      else cpSync(ours.home, join(alone, 'node_modules', name), { recursive: true });
    }
    const home = join(alone, 'node_modules/@writecheck/audit');
    const modules = readdirSync(join(home, 'dist')).filter(
      (file) => file.endsWith('.js') && file !== 'writecheck-audit.js',
    );
    const code = `for (const file of ${JSON.stringify(modules)}) await import('${home}/dist/' + file)`;
    await run('node', ['--input-type=module', '-e', code], alone);
    const program = join(home, 'bin/writecheck-audit.js');
    expect(await run('node', [program, '--version'], alone)).toBe(
      `${packageOf('@writecheck/audit').manifest.version}\n`,
    );
    writeFileSync(join(alone, 'cut.ndjson'), '');
    await expect(run('node', [program, 'replay', 'cut.ndjson'], alone)).rejects.toThrow(
      'the file is truncated',
    );
  });
});

describe('for an agent builder', () => {
  test.for([
    ['@writecheck/adapters', 'writecheck-agent'],
    ['writecheck', 'writecheck'],
  ] as const)('%s runs the MCP proxy by %s, with the SDKs bundled in', SLOW, async ([name, command]) => {
    expect(existsSync(join(project, 'node_modules/@modelcontextprotocol'))).toBe(false);
    const program = join(packageOf(name).home, packageOf(name).manifest.bin![command]!);
    const env = { PATH: process.env.PATH, WRITECHECK_API_KEY: 'wck_dev_none' };
    const mapping = join(project, 'tools.yaml');
    writeFileSync(mapping, 'read: [look]\n');
    const proxy = spawn(
      process.execPath,
      [program, 'mcp-proxy', '--mapping', mapping, '--', 'no-such-server'],
      { env },
    );
    expect(await text(proxy.stderr)).toContain('`no-such-server` was not found');
  });
});

describe('the command', () => {
  const command = (...args: readonly string[]) =>
    run(
      'node',
      [join(packageOf('writecheck').home, packageOf('writecheck').manifest.bin!.writecheck!), ...args],
      project,
    );

  test('prints its version', async () => {
    expect(await command('--version')).toBe(`${packageOf('writecheck').manifest.version}\n`);
    const commit = readFileSync(join(packageOf('@writecheck/service').home, 'dist/commit'), 'utf8');
    expect(commit).toMatch(/^(?:[0-9a-f]{12}|unknown)\n$/);
  });

  test('serves, decides and shows the console', SLOW, async () => {
    const program = join(packageOf('writecheck').home, 'bin/writecheck.js');
    const service = spawn(
      process.execPath,
      [program, 'serve', '--port', '0', '--data', join(place, 'data')],
      {
        cwd: project,
        env: { PATH: process.env.PATH },
      },
    );
    try {
      const failed = text(service.stderr);
      let printed = '';
      for await (const chunk of service.stdout) {
        printed += chunk;
        if (/listens on/.test(printed)) break;
      }
      const [, url] = /listens on (\S+)/.exec(printed) ?? [];
      const [key] = /wck_dev_\w+/.exec(printed) ?? [];
      if (url === undefined || key === undefined)
        throw new Error(`the service did not start: ${printed}${await failed}`);

      const [, intent = ''] = /^echo '(\{.*?\})'/ms.exec(read('writecheck', 'README.md')) ?? [];
      const controlEvidence = [{ controlId: 'approval', source: 'service-desk', result: 'PASS' }];
      writeFileSync(join(project, 'intent.json'), JSON.stringify({ ...JSON.parse(intent), controlEvidence }));
      const decision = JSON.parse(
        await command('check', 'intent.json', '--json', '--url', url, '--key', key),
      );
      expect(decision).toMatchObject({ decision: 'allow', allowed: true });

      const page = await (await fetch(url)).text();
      const [, script] = /<script[^>]* src="\.\/([^"]+)"/.exec(page) ?? [];
      const loaded = await fetch(new URL(script!, `${url}/`));
      expect([loaded.status, loaded.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('javascript'),
      ]);
    } finally {
      service.kill('SIGKILL');
    }
  });
});

/** This Node, the machine's Node if older, and any listed in WRITECHECK_TEST_RUNTIMES. */
function runtimes() {
  const older = '/usr/bin/node';
  const given = (process.env.WRITECHECK_TEST_RUNTIMES ?? '').split(':').filter((path) => path !== '');
  const versionOf = (path: string) =>
    execFileSync(path, ['--version'], { encoding: 'utf8' }).split('\n', 1)[0]!;
  const olderVersion = existsSync(older) ? versionOf(older) : '';
  return [
    { path: process.execPath, version: process.version, skip: false },
    { path: older, version: olderVersion || 'of the machine', skip: !/^v2\d\./.test(olderVersion) },
    ...given.map((path) => ({ path, version: versionOf(path), skip: false })),
  ].map((runtime) => ({ ...runtime, name: basename(runtime.path) }));
}
