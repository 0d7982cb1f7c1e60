/** A table of keys, with limits and last use. */

import type { Key } from '@writecheck/api';
import { CallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { isOwnKey, stateOf } from './keys-api.ts';

export function KeyTable({
  keys,
  caption,
  ownSecret,
  onRotate,
  onRevoke,
}: {
  readonly keys: readonly Key[];
  readonly caption: string;
  readonly ownSecret: string;
  readonly onRotate?: ((key: Key) => void) | undefined;
  readonly onRevoke?: ((key: Key) => void) | undefined;
}) {
  return (
    <table class="panel stacks">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col" class="wide-only">
            Limits
          </th>
          <th scope="col">Last used</th>
          <th scope="col">{onRevoke === undefined ? 'State' : <span class="hidden">Actions</span>}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              <span class="key-name">
                <CallerText text={key.name} />
              </span>{' '}
              {isOwnKey(key, ownSecret) && onRevoke !== undefined && (
                <span class="chip running">this session</span>
              )}
              <span class="key-line small-text quiet">
                {key.kind} {key.roles?.join(', ')} <code>{hintOf(key)}</code>
              </span>
            </th>
            <td class="wide-only small-text">
              <Limits of={key} />
            </td>
            <td>
              <span class="phone-only quiet">Last used </span>
              {key.lastUsedAt === null ? (
                <span class="quiet">never</span>
              ) : (
                <Moment at={key.lastUsedAt} as="ago" />
              )}
            </td>
            <td class="actions">
              {onRotate === undefined || onRevoke === undefined ? (
                <Ended of={key} />
              ) : (
                <>
                  <button type="button" class="small" onClick={() => onRotate(key)}>
                    Rotate
                    <span class="hidden">
                      {' '}
                      <RevealedText text={key.name} />
                    </span>
                  </button>
                  <button type="button" class="small" onClick={() => onRevoke(key)}>
                    Revoke
                    <span class="hidden">
                      {' '}
                      <RevealedText text={key.name} />
                    </span>
                  </button>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Limits({ of }: { readonly of: Key }) {
  const { allowedSystems, allowedWorkflows, expiresAt } = of;
  const limits = [
    ...(allowedSystems === null ? [] : [`systems ${allowedSystems.join(', ')}`]),
    ...(allowedWorkflows === null ? [] : [`workflows ${allowedWorkflows.join(', ')}`]),
  ];
  if (limits.length === 0 && expiresAt === null) return <span class="quiet">none</span>;
  return (
    <>
      {limits.map((limit) => (
        <span key={limit} class="key-line">
          <CallerText text={limit} />
        </span>
      ))}
      {expiresAt !== null && (
        <span class="key-line">
          until <Moment at={expiresAt} />
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
