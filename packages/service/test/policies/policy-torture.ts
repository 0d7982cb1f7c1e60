/** Applies mutated bundles to a real store: none may crash anything, and none may be half applied. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decide } from '@writecheck/engine';
import type { Store } from '@writecheck/store/port';
import { stringify } from 'yaml';
import { seededDice } from '../../../engine/test/dice.ts';
import { mutate, seeded } from '../../../engine/test/documents.ts';
import { generateBundle } from '../../../engine/test/generate-bundle.ts';
import { intentGenerator } from '../../../engine/test/generate-intent.ts';
import { applyPolicy, type PolicyParts } from '../../src/features/policies/apply-policy.ts';
import type { BundleSource } from '../../src/features/policies/bundle-source.ts';
import { PolicyBook } from '../../src/features/policies/policy-book.ts';
import { PolicyJobs } from '../../src/features/policies/policy-jobs.ts';
import { makeFirstWorkspace, openStore } from '../../src/runtime/open-store.ts';

const WHOLE_BUNDLES = 100_000;
const REFUSALS = ['invalid_policy', 'loosening_unconfirmed'];

export interface FuzzOutcome {
  readonly bundles: number;
  readonly applied: number;
  readonly refused: { readonly [code: string]: number };
  readonly faults: readonly string[];
}

export async function fuzzPolicies(seed: number, bundles: number): Promise<FuzzOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-fuzz-'));
  const store = await openStore({ data: folder });
  const jobs = new PolicyJobs();
  const book = new PolicyBook(store, jobs);
  const { workspace } = (await makeFirstWorkspace(store, Date.now()))!;
  const stopWatching = store.watch((change) => book.follow(change));
  const refused: { [code: string]: number } = {};
  const faults: string[] = [];
  let applied = 0;
  try {
    for (let at = 0; at < bundles && faults.length < 5; at += 1) {
      const fault = await applyOne({ store, jobs, book }, workspace.id, seed, at, (code) => {
        if (code === null) applied += 1;
        else refused[code] = (refused[code] ?? 0) + 1;
      }).catch((error: unknown) => `it threw ${String(error)}`);
      if (fault !== null) faults.push(`seed ${seed}, bundle ${at}: ${fault}`);
    }
  } finally {
    stopWatching();
    await jobs.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { bundles, applied, refused, faults };
}

async function applyOne(
  parts: PolicyParts & { readonly store: Store },
  workspace: string,
  seed: number,
  at: number,
  count: (refusal: string | null) => void,
): Promise<string | null> {
  const dice = seededDice(seed, at);
  const documents = generateBundle(dice);
  const before = await parts.store.currentPolicy(workspace);
  const outcome = await applyPolicy(parts, mutatedSource(documents, seed + at), {
    workspace,
    by: { kind: 'operator', id: 'torture' },
    ifMatch: null,
    isLooseningConfirmed: dice.chance(50),
    nowMs: Date.now(),
  });
  count(outcome.kind === 'refused' ? outcome.code : null);
  const after = await parts.store.currentPolicy(workspace);
  if (outcome.kind === 'refused') {
    if (!REFUSALS.includes(outcome.code)) return `it was refused with ${outcome.code}`;
    if ((outcome.details ?? []).length === 0) return `it was refused (${outcome.code}) without a detail`;
    if (after?.revision !== before?.revision || after?.digest !== before?.digest)
      return 'it was refused, and another bundle runs than before';
  } else {
    if (after?.digest !== outcome.digest || after.revision !== outcome.revision)
      return 'it was applied, and another bundle runs';
    const hash = createHash('sha256').update(after.documents).digest('hex');
    if (`sha256:${hash}` !== outcome.digest) return 'what is stored is not what its digest names';
  }
  const snapshot = await parts.book.snapshotOf(workspace);
  if (snapshot.digest !== (after?.digest ?? null)) return 'another bundle decides than runs';
  const { intent, facts, nowMs } = intentGenerator(documents)(dice);
  decide(intent, facts, snapshot, nowMs);
  return null;
}

/** A third unchanged, a third changed as values, the rest changed as text. */
function mutatedSource(documents: readonly unknown[], seed: number): BundleSource {
  const random = seeded(seed);
  let changed: unknown = documents;
  const way = random.below(3);
  if (way === 1)
    for (let times = 1 + random.below(4); times > 0; times -= 1) changed = mutate(changed, random);
  const list = Array.isArray(changed) ? changed : [changed];
  if (way < 2) return { kind: 'body', bytes: Buffer.from(JSON.stringify({ documents: list })) };
  const text = list.map((document) => stringify(document)).join('---\n');
  const bytes = Buffer.from(text);
  for (let times = random.below(4); times > 0 && bytes.length > 0; times -= 1) {
    bytes[random.below(bytes.length)] = random.below(3) === 0 ? random.below(256) : random.pick(ODD_BYTES);
  }
  return { kind: 'yaml', files: [{ file: 'fuzz.yaml', bytes }] };
}

const ODD_BYTES = [...Buffer.from('{}[]:,-#&*!|>\'"%@` \n\t0')];

export async function torture(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { bundles: { type: 'string' }, seed: { type: 'string' } },
  });
  const bundles = Number(values.bundles ?? WHOLE_BUNDLES);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const outcome = await fuzzPolicies(seed, bundles);
  const told = Object.entries(outcome.refused).map(([code, times]) => `${times} ${code}`);
  return {
    claim: 'no bundle crashes the service or is applied by half',
    count: `${outcome.bundles} mutated bundles, ${outcome.applied} applied, ${told.join(', ')}`,
    seed: String(seed),
    faults: outcome.faults,
  };
}
