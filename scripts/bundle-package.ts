/** What the builds of the published packages share: declarations that name files as published, and the licences of bundled code. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildResult } from 'esbuild';

/** Writes the declarations into `types`. `renamed` turns other names in their imports into those of the package. */
export function writeTypes(
  home: string,
  types: string,
  renamed: (text: string, file: string) => string = (text) => text,
): void {
  const tsc = join(home, '../../node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(home, 'tsconfig.build.json')], { stdio: 'inherit' });
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(types, name);
    const text = renamed(readFileSync(file, 'utf8'), file);
    writeFileSync(file, text.replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, "'$2.js'"));
  }
}

export function writeLicences(home: string, builds: readonly BuildResult<{ metafile: true }>[]): void {
  const foreign = new Set(
    builds
      .flatMap(({ metafile }) => Object.values(metafile.outputs))
      .flatMap(({ inputs }) => Object.keys(inputs))
      .flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
  );
  const licences = [...foreign].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(home, folder, 'package.json'), 'utf8'));
    const licence = readdirSync(join(home, folder)).find((file) => /^licen[cs]e/i.test(file));
    if (licence === undefined) throw new Error(`\`${name}\` is bundled and has no licence file`);
    return `${name} ${version}\n\n${readFileSync(join(home, folder, licence), 'utf8')}`;
  });
  writeFileSync(join(home, 'dist/THIRD-PARTY-LICENSES.txt'), licences.join('\n\n'));
}
