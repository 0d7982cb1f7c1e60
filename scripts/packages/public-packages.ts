/** The published packages: all in `packages` that are not private. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: { readonly [path: string]: unknown };
  readonly bin?: { readonly [command: string]: string };
  readonly dependencies?: { readonly [name: string]: string };
  readonly engines?: { readonly [runtime: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
}

export interface PublicPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

export function publicPackages(): readonly PublicPackage[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .sort()
    .map((file) => ({ folder: dirname(file), manifest: readManifest(join(ROOT, file)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

export function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'));
}
