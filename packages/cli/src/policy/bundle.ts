/** Reads a bundle for a command: from a folder, from a file, or from the running service. */
import { readFile, stat } from 'node:fs/promises';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import type { BundleSource } from '@writecheck/service/features/policies/bundle-source';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';
import { type Examined, examineDocuments } from '@writecheck/service/features/policies/examine-bundle';
import { readPolicyFolder } from '@writecheck/service/features/policies/read-policy-folder';
import { calledAs } from '@writecheck/service/support/called-as';
import { askService, type ServiceOptions } from './service.ts';

export type GoodBundle = Extract<Examined, { kind: 'good' }>;

export async function readSource(path: string): Promise<BundleSource> {
  const entry = await stat(path).catch(() => null);
  if (entry === null)
    throw new CommandFailure(
      `\`${path}\` does not exist; give a folder or a file, or write a first one with \`${calledAs()} policy init\``,
    );
  if (!entry.isDirectory()) {
    return { kind: 'yaml', files: [{ file: path, bytes: await readFile(path) }] };
  }
  const reading = await readPolicyFolder(path);
  if (reading.kind !== 'files')
    throw new CommandFailure(`the folder \`${path}\` cannot be used: ${reading.message}`);
  return { kind: 'yaml', files: reading.files };
}

export async function loadBundle(path: string): Promise<GoodBundle> {
  return goodOr(path, examineDocuments(await readSource(path)));
}

function goodOr(path: string, examined: Examined): GoodBundle {
  if (examined.kind === 'good') return examined;
  throw new CommandFailure(listFaults(`\`${path}\` has errors:`, examined.details.map(describeDetail)));
}

/** `running` means the service's current bundle; `isFirst` if it has none yet. */
export async function loadBundleOrRunning(
  path: string,
  options: ServiceOptions,
): Promise<GoodBundle & { readonly isFirst: boolean }> {
  if (path !== 'running') return { ...(await loadBundle(path)), isFirst: false };
  const { body } = await askService('GET', '/v1/policies', options);
  const { documents, digest } = body as {
    readonly documents: readonly unknown[];
    readonly digest: string | null;
  };
  const text = JSON.stringify(documents);
  return {
    ...goodOr('running', examineDocuments({ kind: 'stored', text })),
    isFirst: digest === null,
  };
}
