/** Gives back what was drawn in error: how much, and why. It becomes an entry of the log. */
import type { LimitGroup } from '@writecheck/api';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import type { KeyKind, ListedLimit } from '../../calls/limits.ts';
import { Required, TextField } from '../../components/field.tsx';
import { FieldFault } from '../../components/field-fault.tsx';
import { FormSheet } from '../../components/form-sheet.tsx';
import { newKey } from '../../idempotency-key.ts';
import { For } from '../../picture/limit-lines.tsx';
import { type LimitGroupWords, withUnit } from '../../picture/limit-words.ts';

const REASON_MAX = 500;

export function GiveBack({
  limit,
  group,
  words,
  keyKind,
  onDone,
  onClose,
}: {
  readonly limit: ListedLimit;
  readonly group: LimitGroup;
  readonly words: LimitGroupWords;
  readonly keyKind: KeyKind;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  // A retry after a lost response must not give back twice.
  const key = useMemo(newKey, [amount, reason]);
  // INVARIANT: the same wish with the same key gives back once, however often it is sent.
  const send = () =>
    call('POST /v1/limits/{id}/corrections', {
      in: { id: limit.id },
      query: { keyKind },
      json: { group: group.group, amount: amount.trim(), reason: reason.trim() },
      headers: { 'idempotency-key': key },
    });
  return (
    <FormSheet
      title="Return"
      action="Return"
      placed={['/amount', '/reason']}
      send={send}
      onDone={onDone}
      onClose={onClose}
    >
      {(fault) => (
        <>
          <p>
            {withUnit(group.drawn, words.unit)}{' '}
            {words.unit === 'writes' && group.drawn !== '1' ? 'are' : 'is'} used of{' '}
            <strong>{limit.id}</strong>
            <For parts={words.parts} />. What you return can be used again.
          </p>
          <label>
            <Required>How much</Required>{' '}
            {words.unit !== null && <span class="quiet small-text">{words.unit}</span>}
            <input
              required
              inputMode="decimal"
              pattern="[0-9]+([.][0-9]+)?"
              title="A number such as 12.50"
              value={amount}
              aria-invalid={fault('/amount') !== null}
              onInput={(event) => setAmount(event.currentTarget.value)}
            />
            <FieldFault text={fault('/amount')} />
          </label>
          <TextField
            label="Reason"
            hint="recorded in the log"
            required
            maxLength={REASON_MAX}
            value={reason}
            placeholder="e.g. refund R-77 was reversed by the bank"
            fault={fault('/reason')}
            onInput={setReason}
          />
        </>
      )}
    </FormSheet>
  );
}
