/** The workspace's keys: create, rotate and revoke. Each secret is shown once. */
import type { Key } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { isOwnKey, listKeys, stateOf } from '../../calls/keys.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Choice } from '../../components/field.tsx';
import { isAgent } from '../../components/key-limits.ts';
import { KeyTable } from '../../components/key-table.tsx';
import { PageHead, Skeleton } from '../../components/page.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { RevealedText } from '../../components/text.tsx';
import { signIn, useRight, useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';
import { useNewAsked } from '../../use-new-asked.ts';
import { issuedKeys, noteKept, showUntilKept } from './issued-keys.ts';
import { NewKey } from './new-key.tsx';
import { RevokeHits } from './revoke-hits.tsx';

/** In seconds. */
const GRACES: readonly (readonly [seconds: number, label: string])[] = [
  [0, 'no time: it stops immediately'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '1 week'],
];
const WORDS = { rotate: 'Rotate', revoke: 'Revoke' } as const;

type Wish = { readonly kind: 'rotate' | 'revoke'; readonly key: Key };

export default function Keys() {
  const session = useSession();
  const ownSecret = session?.secret ?? '';
  const { value, failure: unloaded, readAt, reload } = useLoad('keys', listKeys);
  const mayManage = useRight('createKey');
  const workspace = session?.workspace.id ?? '';
  const issued = useStore(issuedKeys);
  const [wish, setWish] = useState<Wish | null>(null);
  const [graceSeconds, setGraceSeconds] = useState(0);
  const { isBusy, failure, act, forget } = useAct();
  const [done, setDone] = useState<string | null>(null);
  const [isMaking, setIsMaking] = useState(false);
  /** The key that a new one with limits replaces. */
  const [limiting, setLimiting] = useState<Key | null>(null);
  useNewAsked(() => setIsMaking(mayManage));
  const nowMs = Date.now();
  const usable = (value?.keys ?? []).filter((key) => stateOf(key, nowMs) === 'usable');
  const ended = (value?.keys ?? []).filter((key) => stateOf(key, nowMs) !== 'usable');

  const ask = (next: Wish) => {
    forget();
    setDone(null);
    setGraceSeconds(next.key.kind === 'owner' ? 0 : 3_600);
    setWish(next);
  };
  const rotate = async (key: Key) => {
    await act(call('POST /v1/keys/{id}/rotate', { in: { id: key.id }, json: { graceSeconds } }), (made) => {
      const isOwn = isOwnKey(key, ownSecret);
      // Switch keys before any other call, because the old key may have stopped working.
      if (isOwn && session !== null) signIn({ ...session, secret: made.secret });
      showUntilKept({ ...made, workspace, isOwn });
      reload();
    });
    setWish(null);
  };
  const revoke = async (key: Key) => {
    await act(call('DELETE /v1/keys/{id}', { in: { id: key.id } }), () => {
      setDone(`${key.name} is revoked. Requests with it now fail.`);
      reload();
    });
    setWish(null);
  };
  return (
    <div class="page">
      <PageHead title="Keys">
        {mayManage && (
          <button type="button" class="primary" onClick={() => setIsMaking(true)}>
            Create a key
          </button>
        )}
      </PageHead>
      <ErrorNote failure={unloaded} onRetry={reload} readAt={readAt} />
      {issued.map((each) => (
        <ShownOnce
          key={each.key.id}
          title={<RevealedText text={`Save this key now: ${each.key.name}`} />}
          secret={each.secret}
          what="the key"
          onDone={() => noteKept(each)}
        >
          You won’t see it again; the service keeps only its hash.
          {each.isOwn && ' You are now signed in with it.'}
        </ShownOnce>
      ))}
      {done !== null && (
        <p class="note note-good" role="status">
          <RevealedText text={done} />
        </p>
      )}
      <ErrorNote failure={failure} />
      {value === null && unloaded === null && <Skeleton lines={6} />}
      {usable.length > 0 && (
        <KeyTable
          keys={usable}
          caption="Active keys"
          ownSecret={ownSecret}
          onLimit={mayManage ? setLimiting : undefined}
          onRotate={mayManage ? (key) => ask({ kind: 'rotate', key }) : undefined}
          onRevoke={mayManage ? (key) => ask({ kind: 'revoke', key }) : undefined}
        />
      )}
      {(isMaking || limiting !== null) && (
        <NewKey
          insteadOf={limiting}
          onClose={() => {
            setIsMaking(false);
            setLimiting(null);
          }}
          onMade={(made) => {
            setDone(null);
            forget();
            showUntilKept({ ...made, workspace, isOwn: false });
            reload();
          }}
        />
      )}
      {ended.length > 0 && (
        <details class="card">
          <summary>Revoked and expired ({ended.length})</summary>
          <KeyTable keys={ended} caption="Revoked and expired keys" ownSecret={ownSecret} />
        </details>
      )}
      {wish !== null && (
        <AskFirst
          title={<RevealedText text={`${WORDS[wish.kind]} ${wish.key.name}?`} />}
          action={WORDS[wish.kind]}
          isDangerous={wish.kind === 'revoke'}
          isBusy={isBusy}
          onConfirm={() => (wish.kind === 'rotate' ? rotate : revoke)(wish.key)}
          onCancel={() => setWish(null)}
        >
          {wish.kind === 'rotate' ? (
            <>
              <p>
                A new key replaces it, with the same name and limits.
                {isOwnKey(wish.key, ownSecret) && ' You stay signed in with the new key.'}
              </p>
              <Choice
                label="Keep the old key valid for"
                value={graceSeconds}
                options={GRACES}
                onChange={setGraceSeconds}
              />
            </>
          ) : (
            <>
              <p>
                Requests with this key fail immediately. This can’t be undone.
                {isOwnKey(wish.key, ownSecret) && ' You are signed in with this key and will be signed out.'}
              </p>
              {isAgent(wish.key) && <RevokeHits of={wish.key} onFreeze={() => setWish(null)} />}
            </>
          )}
        </AskFirst>
      )}
    </div>
  );
}
