/** `writecheck policy promote`: assesses an observing profile, and shows the change that makes it enforce. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Assessment } from '@writecheck/api';
import { CommandFailure, isCommandFailure } from '@writecheck/contract/command';
import type { PolicyDocument } from '@writecheck/engine';
import { parseAllDocuments } from 'yaml';
import { readSource } from './bundle.ts';
import { diffPath } from './diff-path.ts';
import { editedProfile, type Provenance, requiredIn } from './edit-profile.ts';
import { assessmentText } from './impact-text.ts';
import { askService, LOOSENS_EXIT_CODE, type ServiceOptions, THRESHOLD_EXIT_CODE } from './service.ts';
import { parseThreshold } from './threshold.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface PromoteOptions extends ServiceOptions {
  readonly policies: string;
  readonly minDays?: string;
  readonly minDecisions?: string;
  readonly maxStopped?: string;
  readonly apply: boolean;
  readonly force: boolean;
  readonly confirmLoosening: boolean;
  readonly json: boolean;
}

interface Answer {
  readonly assessment: Assessment;
  readonly documents: readonly PolicyDocument[];
  readonly applied?: { readonly revision: number; readonly digest: string };
}

interface OwnFile {
  readonly path: string;
  readonly text: string;
}

/** The service replays the log before it responds. */
const TIMEOUT_MS = 290_000;

export async function policyPromote(profile: string, options: PromoteOptions): Promise<void> {
  // Looked for first: nothing is applied whose change cannot be shown.
  const file = options.json ? null : await fileOf(profile, options.policies);
  const maxStopped = parseThreshold('--max-stopped', options.maxStopped);
  if (maxStopped !== null && !maxStopped.isShare)
    throw new CommandFailure('--max-stopped must be a share, such as `5%`');
  const asked = {
    profile,
    ...numberOf('--min-days', 'minDays', options.minDays),
    ...numberOf('--min-decisions', 'minDecisions', options.minDecisions),
    ...(maxStopped === null ? {} : { maxStopped: maxStopped.max }),
    ...(options.apply ? { apply: true } : {}),
    ...(options.apply && options.force ? { force: true } : {}),
    ...(options.confirmLoosening ? { confirmLoosening: true } : {}),
  };
  const path = '/v1/policies/promotions';
  const { body } = await askService('POST', path, options, asked, {}, undefined, TIMEOUT_MS).catch(
    (error: unknown) => {
      // The exit codes of `promote` are 0, 4 and 1, so a loosening that was not confirmed is 1 too.
      if (isCommandFailure(error) && error.exitCode === LOOSENS_EXIT_CODE)
        throw new CommandFailure(error.message);
      throw error;
    },
  );
  const { assessment, documents, applied } = body as Answer;
  process.stderr.write(assessmentText(assessment));
  if (applied !== undefined) process.stderr.write(`revision ${applied.revision} is now active\n`);
  const isEarned = assessment.verdict === 'ready' || applied !== undefined;
  if (file === null) process.stdout.write(`${JSON.stringify(body, null, 2)}\n`);
  else if (isEarned || options.force) printChange(file, profile, provenanceIn(documents, profile));
  // The output may be piped into `git apply`, which would enforce it.
  else process.stderr.write('no change is printed, because it is not ready; --force prints it anyway\n');
  if (!isEarned) process.exitCode = THRESHOLD_EXIT_CODE;
}

function printChange(file: OwnFile, profile: string, provenance: Provenance): void {
  const edited = editedProfile(file.text, profile, provenance)!;
  const others = requiredIn(file.text, profile).filter((control) => !provenance.has(control));
  if (others.length > 0)
    process.stderr.write(
      `\`${file.path}\` also requires ${others.map((control) => `\`${control}\``).join(', ')}, which the running bundle does not; that was not assessed\n`,
    );
  const { name, applyIn } = diffPath(file.path, process.cwd());
  if (applyIn !== null) process.stderr.write(`apply the change with \`git -C ${applyIn} apply\`\n`);
  process.stdout.write(unifiedDiff(name, file.text, edited));
}

function numberOf(option: string, member: string, text: string | undefined): object {
  if (text === undefined) return {};
  if (!/^\d+(\.\d+)?$/.test(text)) throw new CommandFailure(`${option} must be a number; it is \`${text}\``);
  return { [member]: Number(text) };
}

/** The file that holds a profile, unchanged, so that a diff of it applies. */
export async function fileOf(profile: string, path: string): Promise<OwnFile> {
  const source = await readSource(path);
  const isFolder = (await stat(path)).isDirectory();
  for (const { file, bytes } of source.kind === 'yaml' ? source.files : []) {
    const text = textOf(file ?? path, bytes);
    const [error] = parseAllDocuments(text).flatMap(({ errors }) => errors);
    if (error !== undefined)
      throw new CommandFailure(`\`${file ?? path}\` is not valid YAML: ${error.message}`);
    if (editedProfile(text, profile, new Map()) === null) continue;
    return { path: isFolder ? join(path, file ?? '') : path, text };
  }
  throw new CommandFailure(
    `no file in \`${path}\` holds profile \`${profile}\`; name the folder with --policies, or print the response with --json`,
  );
}

function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`\`${file}\` is not valid UTF-8`);
  }
}

function provenanceIn(documents: readonly PolicyDocument[], id: string): Provenance {
  const profile = documents.find((document) => document.kind === 'Profile' && document.id === id);
  const provenance = new Map();
  for (const one of profile?.kind === 'Profile' ? (profile.require ?? []) : [])
    if (typeof one === 'object' && one.promotedFrom !== undefined)
      provenance.set(one.control, one.promotedFrom);
  return provenance;
}
