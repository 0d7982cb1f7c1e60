/** The banner while writes are frozen, and the form behind the button; the form is loaded when it is opened. */
import type { FreezeScope } from '@writecheck/contract';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useActiveFreezes, useWatchingFreezes } from '../../active-freezes.ts';
import { noteAway } from '../../state/connection.ts';
import { freezing, scopeFrom } from '../../state/freezing.ts';
import { href, usePlace } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useAgents } from '../agent/use-agents.ts';
import { RevealedText, Told } from '../text.tsx';
import { scopeWithin } from './scope-words.ts';

export function FreezeBanner() {
  useWatchingFreezes();
  const active = useActiveFreezes() ?? [];
  const [newest] = active;
  return (
    <div aria-live="polite">
      {newest !== undefined && (
        <p class="banner freeze-banner">
          <strong>
            {active.length > 1 ? (
              `${active.length} freezes are active.`
            ) : (
              <>
                Frozen: <Scope of={newest.scope} />.
              </>
            )}
          </strong>{' '}
          <span class="freeze-reason">
            <RevealedText text={newest.reason} />
          </span>{' '}
          <a href={href(active.length === 1 ? `/freezes/${newest.id}` : '/freezes')}>
            {active.length === 1 ? 'Show it' : 'Show them'}
          </a>
        </p>
      )}
    </div>
  );
}

function Scope({ of }: { readonly of: FreezeScope }) {
  return <Told text={scopeWithin(of, useAgents())} />;
}

/** Nothing for those who may not stop writes. `isBrief` is for the bar of a phone. */
export function FreezeButton({ isBrief = false }: { readonly isBrief?: boolean }) {
  const may = useRight('createFreeze');
  const { path, query } = usePlace();
  if (!may) return null;
  return (
    <button
      type="button"
      class={`freeze-button${isBrief ? ' in-phone' : ''}`}
      onClick={() => freezing.set(scopeFrom(path, query))}
    >
      <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d="M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM5.5 8h5" />
      </svg>{' '}
      {isBrief ? <span class="hidden">Freeze writes</span> : 'Freeze writes'}
    </button>
  );
}

type Form = ComponentType<{ readonly start: FreezeScope; readonly onClose: () => void }>;

export function FreezePlace() {
  const start = useStore(freezing);
  const { path } = usePlace();
  // Close it on navigation: it describes the page before.
  useEffect(() => freezing.set(null), [path]);
  const [Form, setForm] = useState<Form | null>(null);
  const isOpen = start !== null;
  useEffect(() => {
    if (isOpen && Form === null)
      import('./freeze-form.tsx').then(
        ({ default: loaded }) => setForm(() => loaded),
        () => {
          freezing.set(null);
          noteAway();
        },
      );
  }, [isOpen, Form]);
  return start === null || Form === null ? null : <Form start={start} onClose={() => freezing.set(null)} />;
}
