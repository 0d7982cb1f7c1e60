/** Applies an earlier revision again, as a new one, once the user has seen what that changes. */

import type { PolicyRevision } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { failureHere, success } from '../../api.ts';
import { readBundle, readRevision, rollBack } from '../../calls/policies.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Unloaded } from '../../components/page.tsx';
import { examine, print } from '../../components/policy/policy-desk.ts';
import { joined, type ValueOf } from '../../replies.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';
import { BundleChanges } from './bundle-changes.tsx';
import { ConfirmChange } from './confirm-change.tsx';
import { useTrial } from './use-trial.ts';

interface Props {
  readonly to: PolicyRevision;
  readonly onDone: (revision: number) => void;
  readonly onCancel: () => void;
}

export function RollBack(props: Props) {
  const { revision } = props.to;
  const load = useLoad(`roll back ${revision}`, (signal) => earlier(revision, signal));
  if (load.value !== null) return <Asking {...props} earlier={load.value} onReload={load.reload} />;
  return (
    <AskFirst title={titleOf(revision)} action={null} onConfirm={props.onCancel} onCancel={props.onCancel}>
      <Unloaded load={load} />
    </AskFirst>
  );
}

function titleOf(revision: number): string {
  return `Roll back to revision ${revision}?`;
}

type Earlier = ValueOf<typeof earlier>;

async function earlier(revision: number, signal: AbortSignal) {
  const read = await joined([readBundle(signal), readRevision(revision, signal)]);
  if (read.kind === 'failure') return read;
  const [running, wanted] = read.value;
  const text = (await print(wanted.documents)) ?? '';
  const examined = await examine({ text, running: running.documents, workspace: '', nowMs: Date.now() });
  if (examined?.kind !== 'valid') return UNREADABLE;
  return success({ text, examined, running });
}

const UNREADABLE = failureHere(
  'not_understood',
  'this page could not read that revision; open it in the editor',
);

function Asking({
  to: { revision },
  earlier: { text, examined, running },
  onReload,
  onDone,
  onCancel,
}: Props & { readonly earlier: Earlier; readonly onReload: () => void }) {
  const trial = useTrial(text, false);
  const [why, setWhy] = useState('');
  const { failure, act } = useAct();
  // Over the revision that it was compared with, and no other.
  const confirm = (isConfirmed: boolean) =>
    act(rollBack(revision, running.digest, isConfirmed, why.trim()), (applied) => onDone(applied.revision));
  return (
    <ConfirmChange
      title={titleOf(revision)}
      what={`Rolling back to revision ${revision}`}
      action="Roll back"
      text={text}
      examined={examined}
      trial={trial}
      failure={failure}
      reason={{ text: why, set: setWhy }}
      onConfirm={confirm}
      onCancel={onCancel}
    >
      {failure !== null && failure.code !== 'loosening_unconfirmed' && (
        <ErrorNote failure={failure} onRetry={onReload} />
      )}
      <p>It is applied again as revision {running.revision + 1}.</p>
      <details>
        <summary>Changed lines</summary>
        <BundleChanges changes={examined.changes} />
      </details>
    </ConfirmChange>
  );
}
