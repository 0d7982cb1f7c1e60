/** The workflows publish every package with minimal permissions. Only GitHub can run them. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { publicPackages, ROOT, readManifest } from './packages/public-packages.ts';
import { releaseNotes } from './release-notes.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: { readonly [name: string]: unknown };
}
interface Job {
  readonly 'runs-on'?: string;
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: { readonly [name: string]: string };
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: { readonly [name: string]: Job };
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const ci = workflow('ci');
const nightly = workflow('nightly');
const release = workflow('release');
const jobs = [ci, nightly, release].flatMap((each) => Object.entries(each.jobs));
const script = (job: Job | undefined): string => (job?.steps ?? []).map(({ run = '' }) => run).join('\n');
const BOTH = ['ubuntu-24.04', 'ubuntu-24.04-arm'];

test('every action is pinned to a commit, with its version in a comment', () => {
  const texts = globSync('.github/workflows/*.yml', { cwd: ROOT }).map(read).join('\n');
  const used = texts.match(/uses: (?!\.\/).*/g) ?? [];
  expect(used.length).toBeGreaterThan(10);
  for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const commits = new Map(used.map((line) => [/[\w-]+\/[\w-]+(?=@)/.exec(line)![0], line]));
  expect(new Set(used).size).toBe(commits.size);
});

test('a job has minimal permissions', () => {
  expect(ci.permissions).toEqual({ contents: 'read' });
  expect(nightly.permissions).toEqual({ contents: 'read' });
  expect(release.permissions).toEqual({});
  const rights = Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]);
  expect(Object.fromEntries(rights)).toEqual({
    notes: { contents: 'read' },
    test: { contents: 'read' },
    pack: { contents: 'read' },
    'pack-python': { contents: 'read' },
    image: { contents: 'read', packages: 'write' },
    'try-image': { packages: 'read' },
    'sign-image': { packages: 'write', 'id-token': 'write' },
    npm: { 'id-token': 'write' },
    pypi: { 'id-token': 'write' },
    'github-release': { contents: 'write' },
  });
});

test('dependencies come from the lock file, and no job that publishes or signs installs them', () => {
  for (const [name, job] of jobs) {
    expect(script(job), name).not.toMatch(/npm (?:install|i|exec)\b/);
    const publishes = job.permissions?.['id-token'] === 'write' || job.permissions?.contents === 'write';
    if (publishes) expect(script(job), name).not.toMatch(/npm (?:ci|run|pack|test)\b|npx|pip|python/);
    for (const { uses = '', with: settings } of job.steps ?? []) {
      if (uses.startsWith('actions/checkout@'))
        expect(settings, name).toEqual({ 'persist-credentials': false });
    }
  }
});

test('no command contains untrusted text', () => {
  for (const [name, job] of jobs) expect(script(job), name).not.toContain('${{');
});

test('the tests run on both architectures, for every change, and all of them every night and before a release', () => {
  expect(Object.keys(ci.on)).toEqual(['push', 'pull_request', 'workflow_call']);
  expect(ci.jobs.test?.strategy?.matrix.os).toEqual(BOTH);
  const commands = ci.jobs.test?.steps?.map(({ run }) => run) ?? [];
  expect(commands).toContain('npm ci');
  expect(commands.slice(-2)).toEqual(['npm run nightly', 'npm test']);
  expect(release.jobs.test).toMatchObject({ uses: './.github/workflows/ci.yml', with: { nightly: true } });
  expect(Object.keys(nightly.on)).toEqual(['schedule', 'workflow_dispatch']);
  expect(nightly.jobs.test).toMatchObject({ uses: './.github/workflows/ci.yml', with: { nightly: true } });
  for (const job of ['image', 'npm', 'pypi']) expect(release.jobs[job]?.needs, job).toContain('test');
});

describe('a release', () => {
  const packages = publicPackages().map(({ manifest }) => manifest);
  const names = packages.map(({ name }) => name).sort();

  test('packs and publishes every public package, after its dependencies', () => {
    const packed = [...script(release.jobs.pack).matchAll(/-w (\S+)/g)].map(([, name]) => name);
    const [, list = ''] = /for name in \\\n(.*?)\ndo/s.exec(script(release.jobs.npm)) ?? [];
    const published = list.split(/[\s\\]+/).filter((name) => name !== '');
    expect(packed.sort()).toEqual(names);
    expect([...published].sort()).toEqual(names);
    for (const { name, dependencies = {}, peerDependencies = {} } of packages) {
      const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((other) =>
        names.includes(other),
      );
      for (const other of needed) {
        expect(published.indexOf(other), `${other} before ${name}`).toBeLessThan(published.indexOf(name));
      }
    }
    expect(script(release.jobs.npm)).toContain('npm publish "./tarballs/$file" --provenance --access public');
  });

  test('publishes the Python client without a secret, with attestations, from files that another job built', () => {
    const built = script(release.jobs['pack-python']);
    expect(built).toContain('python3 clients/python/tests/check_package.py "$VERSION"');
    expect(built).toContain('python3 clients/python/build_backend.py dist');
    expect(built).not.toMatch(/pip install/);
    const { steps = [], environment, needs } = release.jobs.pypi!;
    expect(environment).toBe('pypi');
    expect(needs).toEqual(expect.arrayContaining(['test', 'pack-python', 'try-image']));
    expect(steps.map(({ uses = '' }) => uses.split('@')[0])).toEqual([
      'actions/download-artifact',
      'pypa/gh-action-pypi-publish',
    ]);
    expect(steps[1]?.with).toEqual({ 'packages-dir': 'dist', attestations: true, 'skip-existing': true });
    expect(JSON.stringify(release.jobs.pypi)).not.toContain('secrets.');
    expect(release.jobs['github-release']?.needs).toContain('pypi');
  });

  test('uses one version everywhere', () => {
    const { version } = readManifest(join(ROOT, 'package.json'));
    const manifests = globSync('{packages/*,bench,examples}/package.json', { cwd: ROOT });
    expect(manifests.length).toBeGreaterThan(10);
    for (const path of manifests) {
      const { version: own, dependencies, devDependencies, peerDependencies } = JSON.parse(read(path));
      expect(own, path).toBe(version);
      for (const [other, range] of Object.entries({
        ...dependencies,
        ...devDependencies,
        ...peerDependencies,
      }))
        if (names.includes(other)) expect(range, `${path} needs ${other}`).toBe(version);
    }
    const lock = JSON.parse(read('package-lock.json'));
    expect(lock.version).toBe(version);
    for (const path of manifests) expect(lock.packages[dirname(path)].version, path).toBe(version);
    const chart = parse(read('deploy/helm/writecheck/Chart.yaml'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    expect(read('packages/contract/src/version.ts')).toContain(`VERSION = '${version}'`);
    expect(read('clients/python/src/writecheck/_version.py')).toContain(`__version__ = "${version}"`);
    const said = [...globSync('docs/**/*.md', { cwd: ROOT }), 'README.md'].flatMap((page) =>
      [...read(page).matchAll(/writecheck(?:-[a-z]+)?[:-](\d+\.\d+\.\d+)/g)].map(
        ([, named]) => `${page} ${named}`,
      ),
    );
    expect(said.length).toBeGreaterThan(2);
    for (const each of said) expect(each).toMatch(new RegExp(` ${version.replaceAll('.', '\\.')}$`));
  });

  test('builds the image for both architectures with an SBOM, tests it on both, and signs its digest', () => {
    const build = release.jobs.image?.steps?.find(({ uses = '' }) =>
      uses.startsWith('docker/build-push-action@'),
    );
    expect(build?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: true,
      provenance: 'mode=max',
      // Shown by `writecheck_build_info`.
      'build-args': expect.stringMatching(/^COMMIT=.*github\.sha/),
    });
    expect(release.jobs['try-image']?.strategy?.matrix.os).toEqual(BOTH);
    expect(release.jobs['sign-image']?.needs).toContain('try-image');
    expect(script(release.jobs['sign-image'])).toContain('cosign sign --yes "$IMAGE@$DIGEST"');
  });

  test('has notes from the changelog, and requires a tag that matches the version', () => {
    const changelog =
      '# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.0 - 2026-11-20\n\n- now\n\n## 1.1.0\n\n- before\n';
    expect(releaseNotes('v1.2.0', '1.2.0', changelog)).toBe('- now\n');
    expect(releaseNotes('v1.1.0', '1.1.0', changelog)).toBe('- before\n');
    expect(() => releaseNotes('v1.2.1', '1.2.0', changelog)).toThrow('the tag is v1.2.1');
    expect(() => releaseNotes('v1.2', '1.2', changelog)).toThrow('no section "## 1.2"');
  });
});
