/** `node scripts/release-notes.ts vX.Y.Z`: prints the changelog section of the tagged version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Throws if the tag does not match `version`, or if the changelog has no section for it. */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) {
    throw new Error(
      `the tag is ${tag}, but package.json has version ${version}; tag v${version} or change the versions`,
    );
  }
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => /^\[?([^\]\s]+)/.exec(text)?.[1] === version);
  const notes = section?.replace(/^.*\n/, '').trim() ?? '';
  if (notes === '')
    throw new Error(`CHANGELOG.md has no section "## ${version}" with text; add it and tag again`);
  return `${notes}\n`;
}

if (import.meta.main) {
  const read = (name: string): string => readFileSync(join(import.meta.dirname, '..', name), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  process.stdout.write(releaseNotes(process.argv[2] ?? '', version, read('CHANGELOG.md')));
}
