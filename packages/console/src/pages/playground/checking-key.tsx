/** The key for sending checks. Owner keys can't send them, so the user pastes or creates one, kept in memory only. */
import type { Key } from '@writecheck/api';
import { HOUR_MS } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { checkingKey, useRight } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useAct } from '../../use-act.ts';

/** Finds expired keys that this page created. */
const NAME = 'console playground';
const LIVES_FOR_MS = 8 * HOUR_MS;
const PREFIXES = ['wck_dev_', 'wck_live_'];

export function CheckingKey() {
  const key = useStore(checkingKey);
  const mayCreate = useRight('createKey');
  const [pasted, setPasted] = useState('');
  const [refusal, setRefusal] = useState<string | null>(null);
  const { isBusy, failure, act } = useAct();

  if (key !== null) {
    return (
      <p class="small-text quiet">
        Sent with <code>{`${key.slice(0, key.lastIndexOf('_') + 1)}…${key.slice(-4)}`}</code>, kept in this
        tab’s memory.{' '}
        <button type="button" class="small plain" onClick={() => checkingKey.set(null)}>
          Use another key
        </button>
      </p>
    );
  }

  const use = (event: Event) => {
    event.preventDefault();
    const entered = pasted.trim();
    if (!PREFIXES.some((prefix) => entered.startsWith(prefix)))
      return setRefusal('Keys for checks start with wck_dev_ or wck_live_.');
    setRefusal(null);
    setPasted('');
    checkingKey.set(entered);
  };
  const make = () => act(makeKey(), ({ secret }) => checkingKey.set(secret));

  return (
    <div class="stack near">
      <p>
        {mayCreate
          ? 'Create a temporary key or paste one to send it.'
          : 'Paste a key to send it. Owners can create one.'}{' '}
        It stays in this tab’s memory until you sign out or reload.
      </p>
      <div class="row">
        {mayCreate && (
          <button type="button" onClick={make} disabled={isBusy}>
            Create a development key (8 h)
          </button>
        )}
        <form class="row" onSubmit={use}>
          <TextField
            kind="inline"
            label="Development or live key"
            isLabelHidden
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="wck_dev_… or wck_live_…"
            value={pasted}
            aria-invalid={refusal !== null}
            onInput={setPasted}
          />
          <button type="submit">Use key</button>
        </form>
      </div>
      {refusal !== null && (
        <p class="note note-bad" role="alert">
          {refusal}
        </p>
      )}
      <ErrorNote failure={failure} />
    </div>
  );
}

/** Revokes expired keys of this page first, because a workspace has a limited number of keys. */
async function makeKey() {
  const listed = await call('GET /v1/keys');
  if (listed.kind === 'failure') return listed;
  const isOver = ({ name, expiresAt, revokedAt }: Key) =>
    name === NAME && revokedAt === null && expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  for (const { id } of listed.value.keys.filter(isOver)) await call('DELETE /v1/keys/{id}', { in: { id } });
  const expiresAt = new Date(Date.now() + LIVES_FOR_MS).toISOString();
  return call('POST /v1/keys', { json: { kind: 'development', name: NAME, expiresAt } });
}
