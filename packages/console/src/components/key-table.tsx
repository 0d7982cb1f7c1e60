/** A table of keys, with limits and last use. */
import type { Key } from '@writecheck/api';
import { isOwnKey, stateOf } from '../calls/keys.ts';
import { href } from '../state/route.ts';
import { DataTable } from './data-table.tsx';
import { isAgent, isUnlimited, limitsOf } from './key-limits.ts';
import { Moment } from './moment.tsx';
import { CallerText, RevealedText } from './text.tsx';

export function KeyTable({
  keys,
  caption,
  ownSecret,
  onLimit,
  onRotate,
  onRevoke,
}: {
  readonly keys: readonly Key[];
  readonly caption: string;
  readonly ownSecret: string;
  readonly onLimit?: ((key: Key) => void) | undefined;
  readonly onRotate?: ((key: Key) => void) | undefined;
  readonly onRevoke?: ((key: Key) => void) | undefined;
}) {
  return (
    <DataTable
      kind="panel stacks"
      caption={caption}
      rows={keys}
      idOf={({ id }) => id}
      columns={[
        {
          head: 'Key',
          isName: true,
          cell: (key) => (
            <>
              <span class="key-name">
                {isAgent(key) ? (
                  <a class="target" href={href(`/agents/${key.id}`)}>
                    <CallerText text={key.name} />
                  </a>
                ) : (
                  <CallerText text={key.name} />
                )}
              </span>{' '}
              {isOwnKey(key, ownSecret) && onRevoke !== undefined && (
                <span class="chip running">this session</span>
              )}
              <span class="key-line small-text quiet">
                {key.kind} {key.roles?.join(', ')} <code>{hintOf(key)}</code>
              </span>
            </>
          ),
        },
        {
          head: 'Limited to',
          kind: 'small-text',
          cell: (key) => <Limits of={key} />,
        },
        {
          head: 'Last used',
          cell: ({ lastUsedAt }) => (
            <>
              <span class="phone-only quiet">Last used </span>
              {lastUsedAt === null ? <span class="quiet">never</span> : <Moment at={lastUsedAt} as="ago" />}
            </>
          ),
        },
        {
          name: 'actions',
          head: onRevoke === undefined ? 'State' : <span class="hidden">Actions</span>,
          kind: 'actions',
          cell: (key) =>
            onRotate === undefined || onRevoke === undefined ? (
              <Ended of={key} />
            ) : (
              [
                ...(onLimit !== undefined && isUnlimited(key) ? [{ word: 'Limit', act: onLimit }] : []),
                { word: 'Rotate', act: onRotate },
                { word: 'Revoke', act: onRevoke },
              ].map(({ word, act }) => (
                <button key={word} type="button" class="small" onClick={() => act(key)}>
                  {word}
                  <span class="hidden">
                    {' '}
                    <RevealedText text={key.name} />
                  </span>
                </button>
              ))
            ),
        },
      ]}
    />
  );
}

function Limits({ of }: { readonly of: Key }) {
  return (
    <>
      {limitsOf(of).map((limit) => (
        <span key={limit} class={`key-line${isUnlimited(of) ? ' unlimited' : ''}`}>
          <CallerText text={limit} />
        </span>
      ))}
      {of.expiresAt !== null && (
        <span class="key-line">
          until <Moment at={of.expiresAt} />
        </span>
      )}
    </>
  );
}

function Ended({ of }: { readonly of: Key }) {
  const state = stateOf(of, Date.now());
  const at = state === 'revoked' ? of.revokedAt : state === 'expired' ? of.expiresAt : null;
  return (
    <>
      {state} {at !== null && <Moment at={at} />}
    </>
  );
}

/** The key's prefix and last characters, with an ellipsis between. */
export function hintOf({ hint }: Key): string {
  return hint.includes('…') ? hint : hint.replace(/^(wck_[a-z]+_).*?(.{4})$/, '$1…$2');
}
