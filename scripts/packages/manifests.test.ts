/** Checks that the metadata npm shows for each published package exists and its links work. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicPackages, ROOT } from './public-packages.ts';

const REPOSITORY = 'https://github.com/writecheck/writecheck';

describe.for(publicPackages())('$folder', ({ folder, manifest }) => {
  test('has a description, a repository and the name of its license', () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/^.{30,120}$/),
      keywords: expect.arrayContaining(['ai-agents']),
      homepage: `${REPOSITORY}/tree/main/${folder}#readme`,
      bugs: `${REPOSITORY}/issues`,
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
      author: 'Writecheck contributors',
      license: 'Apache-2.0',
      publishConfig: { access: 'public', provenance: true },
    });
  });

  test('has a README whose links work outside the repository, to files that exist', () => {
    const links = [
      ...readFileSync(join(ROOT, folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g),
    ].map(([, link]) => link!);
    for (const link of links) {
      expect(link).toMatch(/^https:\/\//);
      const [, path] =
        /^https:\/\/github\.com\/writecheck\/writecheck\/(?:blob|tree)\/main\/(.*)$/.exec(link) ?? [];
      if (path !== undefined) expect(existsSync(join(ROOT, path)), link).toBe(true);
    }
  });
});
