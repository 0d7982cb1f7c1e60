/** Reads the policy files of a folder as they are at one moment. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { DOCUMENTS_MAX } from '@writecheck/contract';
import { BUNDLE_BYTES_MAX } from '@writecheck/engine';
import type { PolicyFile } from './bundle-source.ts';

export type FolderReading =
  /** Ordered by path. */
  | { readonly kind: 'files'; readonly files: readonly PolicyFile[] }
  | { readonly kind: 'empty'; readonly message: string }
  | { readonly kind: 'unreadable'; readonly message: string };

const FILES_MAX = DOCUMENTS_MAX;
const DEEPEST = 16;
/** YAML may be longer than its documents, mostly because of comments. */
const BYTES_MAX = 4 * BUNDLE_BYTES_MAX;

export async function readPolicyFolder(folder: string): Promise<FolderReading> {
  try {
    const files: PolicyFile[] = [];
    let bytes = 0;
    for (const path of await listFiles(folder)) {
      const file = { file: relative(folder, path).split(sep).join('/'), bytes: await readFile(path) };
      files.push(file);
      bytes += file.bytes.length;
      if (bytes > BYTES_MAX) throw new TooMuch(`its files contain more than ${BYTES_MAX} bytes`);
    }
    if (files.length === 0) return { kind: 'empty', message: 'it contains no policy files (*.yaml, *.yml)' };
    return { kind: 'files', files };
  } catch (error) {
    return { kind: 'unreadable', message: describe(folder, error) };
  }
}

function describe(folder: string, error: unknown): string {
  if (error instanceof TooMuch) return error.message;
  const { code, path } = error as NodeJS.ErrnoException;
  const which = path === undefined || path === folder ? 'it' : `\`${relative(folder, path)}\``;
  return code === 'ENOENT' ? `${which} does not exist` : `${which} cannot be read (${code ?? error})`;
}

class TooMuch extends Error {}

/** Links are followed, because a mounted ConfigMap consists of them; each real folder is read once. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const seen = new Set<string>();
  const look = async (within: string, depth: number): Promise<void> => {
    const real = await realpath(within);
    if (seen.has(real)) return;
    seen.add(real);
    if (depth > DEEPEST) throw new TooMuch(`its subfolders are deeper than ${DEEPEST}`);
    for (const name of (await readdir(within)).sort()) {
      // Names that begin with a dot belong to an editor, version control or the mount.
      if (name.startsWith('.')) continue;
      const path = join(within, name);
      const isPolicy = /\.ya?ml$/i.test(name);
      const entry = await stat(path).catch((error: NodeJS.ErrnoException) => {
        // A file that an editor removed in the meantime, or a dangling link that is not a policy.
        if (!isPolicy && error.code === 'ENOENT') return null;
        throw error;
      });
      if (entry?.isDirectory()) await look(path, depth + 1);
      else if (entry?.isFile() && isPolicy) found.push(path);
      if (found.length > FILES_MAX) throw new TooMuch(`it contains more than ${FILES_MAX} policy files`);
    }
  };
  await look(folder, 0);
  return found;
}
