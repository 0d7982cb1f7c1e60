/** Asks why a freeze is lifted, and says what may be written again. */
import type { Freeze } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { lookAtFreezes } from '../../active-freezes.ts';
import { call, type Reply } from '../../api.ts';
import { useAgents } from '../../components/agent/use-agents.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { scopeInWords } from '../../components/freeze/scope-words.ts';
import { Told } from '../../components/text.tsx';
import { useAct } from '../../use-act.ts';

const REASON_MAX = 500;

export function LiftDialog({
  freezes,
  onDone,
  onCancel,
}: {
  /** One, or all active ones of one author. */
  readonly freezes: readonly [Freeze, ...Freeze[]];
  readonly onDone: () => void;
  readonly onCancel: () => void;
}) {
  const agents = useAgents();
  const [reason, setReason] = useState('');
  const { isBusy, failure, act } = useAct();
  const [isMissing, setIsMissing] = useState(false);
  const [first, ...more] = freezes;
  const lift = () => {
    const json = { reason: reason.trim() };
    if (json.reason === '') return setIsMissing(true);
    const { id, createdBy } = first;
    const sent: Promise<Reply<unknown>> =
      more.length === 0
        ? call('POST /v1/freezes/{id}/lift', { in: { id }, json })
        : call('POST /v1/freezes/lift', { json: { createdBy, ...json } });
    // It stays busy until the page knows what is active, so that nothing is lifted twice.
    act(sent.finally(lookAtFreezes), onDone);
  };
  return (
    <AskFirst
      title={more.length === 0 ? 'Lift this freeze?' : `Lift ${freezes.length} freezes?`}
      action={more.length === 0 ? 'Lift the freeze' : `Lift all ${freezes.length}`}
      isBusy={isBusy}
      onConfirm={lift}
      onCancel={onCancel}
    >
      <p>Your policies decide again for:</p>
      <ul class="brief">
        {freezes.map(({ id, scope }) => (
          <li key={id}>
            <Told text={scopeInWords(scope, agents)} />
          </li>
        ))}
      </ul>
      <p class="quiet small-text">Allows from before the freeze stay unusable. Agents must check again.</p>
      <TextField
        label="Why it is safe again"
        required
        maxLength={REASON_MAX}
        value={reason}
        placeholder="e.g. refund-bot is fixed and deployed"
        fault={isMissing ? 'Say why. Lifting a freeze needs a reason.' : null}
        onInput={(next) => {
          setReason(next);
          setIsMissing(false);
        }}
      />
      <ErrorNote failure={failure} />
    </AskFirst>
  );
}
