/** The difference between any two revisions. */

import type { PolicyRevision } from '@writecheck/api';
import type { PolicyDocument } from '@writecheck/engine';
import { type Reply, success } from '../../api.ts';
import { readRevision } from '../../calls/policies.ts';
import { Choice } from '../../components/field.tsx';
import { Section, Unloaded } from '../../components/page.tsx';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { examine, print } from '../../components/policy/policy-desk.ts';
import { joined, mapped } from '../../replies.ts';
import { useLoad } from '../../use-load.ts';
import { BundleChanges } from './bundle-changes.tsx';

export function CompareRevisions({
  revisions,
  from,
  to,
  onChange,
}: {
  readonly revisions: readonly PolicyRevision[];
  readonly from: number;
  readonly to: number;
  readonly onChange: (from: number, to: number) => void;
}) {
  const choices = [0, ...revisions.map(({ revision }) => revision)].sort((a, b) => b - a);
  const choice = (label: string, chosen: number, choose: (revision: number) => void) => (
    <Choice
      kind="day"
      label={label}
      value={chosen}
      options={choices.map(
        (revision) => [revision, revision === 0 ? 'nothing' : `Revision ${revision}`] as const,
      )}
      onChange={choose}
    />
  );
  return (
    <Section place="compare" title="Compare revisions">
      <div class="row">
        {choice('From', from, (revision) => onChange(revision, to))}
        {choice('To', to, (revision) => onChange(from, revision))}
      </div>
      <RevisionDifference from={from} to={to} />
    </Section>
  );
}

function RevisionDifference({ from, to }: { readonly from: number; readonly to: number }) {
  const { value, failure, reload } = useLoad(`compare ${from} ${to}`, (signal) =>
    changesFrom(from, to, signal),
  );
  if (value === null) return <Unloaded load={{ failure, reload }} />;
  if (value.length === 0) return <p class="quiet">The two are the same.</p>;
  return <BundleChanges changes={value} />;
}

async function changesFrom(
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Reply<readonly DocumentChange[]>> {
  const read = await joined([documentsOf(from, signal), documentsOf(to, signal)]);
  if (read.kind === 'failure') return read;
  const [running, after] = read.value;
  const text = (await print(after)) ?? '';
  const examined = await examine({ text, running, workspace: '', nowMs: Date.now() });
  return success(examined?.kind === 'valid' ? examined.changes : []);
}

async function documentsOf(revision: number, signal: AbortSignal): Promise<Reply<readonly PolicyDocument[]>> {
  if (revision === 0) return success([]);
  return mapped(await readRevision(revision, signal), ({ documents }) => documents);
}
