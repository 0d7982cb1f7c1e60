/** The form that stops writes: what, why and how long. It says what it will stop, sends, and then shows what it stopped. */

import type { Freeze } from '@writecheck/api';
import { type FreezeScope, HOUR_MS } from '@writecheck/contract';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { lookAtFreezes } from '../../active-freezes.ts';
import { nowThere } from '../../calls/decisions.ts';
import { createFreeze } from '../../calls/freezes.ts';
import { newKey } from '../../idempotency-key.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useAgents } from '../agent/use-agents.ts';
import { Dialog } from '../dialog.tsx';
import { Choice, Required } from '../field.tsx';
import { FieldFault } from '../field-fault.tsx';
import { FormSheet } from '../form-sheet.tsx';
import { Told } from '../text.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { scopeInWords } from './scope-words.ts';
import { SinceThen } from './since-then.tsx';

const REASON_MAX = 500;
/** In hours; 0 for no end. */
const LENGTHS: readonly (readonly [hours: number, label: string])[] = [
  [0, 'until an owner lifts it'],
  [1, '1 hour'],
  [4, '4 hours'],
  [24, '24 hours'],
  [168, '7 days'],
];
/** Only owners may freeze for longer. */
const OTHERS_HOURS_MAX = 24;

interface FormProps {
  readonly start: FreezeScope;
  readonly onClose: () => void;
}

export default function FreezeForm({ start, onClose }: FormProps) {
  const [made, setMade] = useState<Freeze | null>(null);
  return made === null ? (
    <Asking start={start} onClose={onClose} onMade={setMade} />
  ) : (
    <Done freeze={made} onClose={onClose} />
  );
}

function Asking({ start, onClose, onMade }: FormProps & { readonly onMade: (freeze: Freeze) => void }) {
  const isOwner = useRight('liftFreeze');
  const [scope, setScope] = useState(start);
  const [isAll, setIsAll] = useState(false);
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState(isOwner ? 0 : OTHERS_HOURS_MAX);
  const [isUnknown, setIsUnknown] = useState(false);
  const chosen = isAll ? {} : scope;
  // A retry of the same wish must not freeze twice, so it sends the same key with the same bytes.
  const attempt = useMemo(
    (): { readonly key: string; until?: string } => ({ key: newKey() }),
    [JSON.stringify([chosen, reason, hours])],
  );
  const why = useRef<HTMLTextAreaElement>(null);
  // With a scope from the page, only the reason is left to say.
  useEffect(() => {
    if (Object.keys(start).length > 0) why.current?.focus();
  }, []);
  const isMade = useRef(false);
  const send = async () => {
    // Without `until`, the service uses the longest duration that a non-owner may set.
    const isDefault = !isOwner && hours === OTHERS_HOURS_MAX;
    if (hours !== 0 && !isDefault && attempt.until === undefined)
      attempt.until = new Date(
        (await nowThere(new AbortController().signal)) + hours * HOUR_MS,
      ).toISOString();
    const { key, ...until } = attempt;
    const outcome = await createFreeze({ reason: reason.trim(), scope: chosen, ...until }, key);
    void lookAtFreezes();
    setIsUnknown(outcome.kind === 'failure' && outcome.code === 'unreachable');
    return outcome;
  };
  return (
    <FormSheet
      title="Freeze writes"
      action="Freeze now"
      isDangerous
      isReady={isAll || Object.keys(scope).length > 0}
      placed={['/scope', '/reason', '/until']}
      send={send}
      onDone={({ freeze }) => {
        isMade.current = true;
        onMade(freeze);
      }}
      onClose={() => {
        if (!isMade.current) onClose();
      }}
    >
      {(fault) => (
        <>
          <ScopeFields
            scope={scope}
            isAll={isAll}
            fault={fault('/scope')}
            onScope={setScope}
            onAll={setIsAll}
          />
          <label>
            <Required>Reason</Required> <span class="quiet small-text">every stopped caller sees it</span>
            <textarea
              ref={why}
              class="words"
              required
              rows={2}
              maxLength={REASON_MAX}
              value={reason}
              placeholder="e.g. refund-bot refunds the same order again and again"
              aria-invalid={fault('/reason') !== null}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
            <FieldFault text={fault('/reason')} />
          </label>
          <Choice
            label="For how long"
            value={hours}
            options={LENGTHS.filter(([each]) => isOwner || (each > 0 && each <= OTHERS_HOURS_MAX))}
            fault={fault('/until')}
            onChange={setHours}
          />
          {!isOwner && (
            <p class="quiet small-text">You can freeze for up to 24 hours. Only an owner can lift it.</p>
          )}
          {isUnknown && <p class="small-text">Pressing “Freeze now” again is safe: it can’t freeze twice.</p>}
        </>
      )}
    </FormSheet>
  );
}

/** The user's page stays as it was, so what happens next is shown here. */
function Done({ freeze, onClose }: { readonly freeze: Freeze; readonly onClose: () => void }) {
  const agents = useAgents();
  const heading = useRef<HTMLParagraphElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Dialog kind="sheet" title="Frozen" onClose={onClose}>
      <p ref={heading} tabIndex={-1} class="note note-bad" role="status">
        <strong>Stopped from now on, on every replica: </strong>
        <Told text={scopeInWords(freeze.scope, agents)} />.
      </p>
      <SinceThen freeze={freeze} />
      <div class="row">
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
        <a class="button" href={href(`/freezes/${freeze.id}`)} onClick={onClose}>
          Show the freeze
        </a>
      </div>
    </Dialog>
  );
}
