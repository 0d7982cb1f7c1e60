/** What an auditor asks first: how many entries the log has, and whether this browser could verify its signature. */

import type { AuditLog } from '@writecheck/api';
import { useEffect, useState } from 'preact/hooks';
import { call, success } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { counted } from '../../components/counted.ts';
import { pinnedKey } from '../../components/decision/pinned-key.ts';
import { VerifierKeyLine } from '../../components/decision/verifier-key.tsx';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { Loaded } from '../../components/page.tsx';
import { Told } from '../../components/text.tsx';
import type { ValueOf } from '../../replies.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../use-load.ts';
import { checkHead } from './check-head.ts';

type Head = ValueOf<typeof readHead>;

export function LogState() {
  const pinned = useStore(pinnedKey);
  const head = useLoad(`audit head ${pinned}`, (signal) => readHead(pinned, signal));
  return (
    <Loaded load={head} lines={2}>
      {(value) => <State head={value} isPinned={pinned !== null} />}
    </Loaded>
  );
}

async function readHead(pinned: string | null, signal: AbortSignal) {
  const open = { signal, key: null } as const;
  const logs = await call('GET /v1/audit/logs', open);
  if (logs.kind === 'failure') return logs;
  const keys = await call('GET /v1/audit/key', { ...open, isText: true });
  if (keys.kind === 'failure') return keys;
  const heads: (AuditLog & { readonly checkpoint: string })[] = [];
  for (const log of logs.value.logs) {
    const query = { log: log.log };
    const note = await call('GET /v1/audit/checkpoint', { ...open, query, isText: true });
    // An empty log has no checkpoint yet.
    if (note.kind === 'failure' && note.code !== 'not_found') return note;
    heads.push({ ...log, checkpoint: note.kind === 'success' ? note.value : '' });
  }
  // This browser has no cryptography without a secure origin.
  const reading = window.isSecureContext ? await checkHead(heads, pinned ?? keys.value) : null;
  return success({ logs: heads, keys: keys.value, readAt: new Date().toISOString(), reading });
}

function State({ head, isPinned }: { readonly head: Head; readonly isPinned: boolean }) {
  const { logs, keys, readAt, reading } = head;
  const fault = reading?.fault ?? null;
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (fault !== null) setIsOpen(true);
  }, [fault]);
  const listed = logs.reduce((sum, { size }) => sum + size, 0);
  const entries = reading === null || fault !== null ? listed : reading.entries;
  return (
    <section class="card" aria-labelledby="head">
      <h2 id="head" class="hidden">
        State of the log
      </h2>
      <div class="row log-state">
        <span>
          <strong>{counted(entries, 'entry', 'entries')}</strong>{' '}
          <span class="quiet">
            · read <Moment at={readAt} as="time" />
          </span>
        </span>
        {reading !== null && entries > 0 && (
          <span class={`verdict ${fault === null ? 'allow' : 'block'}`} role="status">
            <DecisionGlyph decision={fault === null ? 'allow' : 'block'} />
            {fault === null ? 'signature verified in this browser' : 'signature does not verify'}
          </span>
        )}
        {entries === 0 ? null : reading === null ? (
          <span class="quiet">not verified: browsers do so only over HTTPS or on this machine</span>
        ) : isPinned ? (
          <span class="quiet">against your pinned key</span>
        ) : (
          <>
            <span class="quiet">against the key that this service publishes; not pinned yet</span>
            {!isOpen && (
              <button type="button" class="small" onClick={() => setIsOpen(true)}>
                Pin …
              </button>
            )}
          </>
        )}
      </div>
      {fault !== null && (
        <p class="note note-bad" role="alert">
          <Told text={fault} />. Ask your operator, and run <code>writecheck audit verify</code> on an export.
        </p>
      )}
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>Checkpoint and key</summary>
        <div class="stack">
          {logs.map(({ log, size, isOpen: isCurrent, checkpoint }) => (
            <div key={log} class="stack near">
              <p>
                <strong>{size.toLocaleString('en')} entries</strong> <span class="quiet">in log</span>{' '}
                <code>{log}</code> {isCurrent && <span class="chip running">open</span>}
              </p>
              {checkpoint !== '' && (
                <div class="command">
                  <pre>{checkpoint}</pre>
                  <CopyButton text={checkpoint} what="the checkpoint" />
                </div>
              )}
            </div>
          ))}
          <p class="quiet small-text">
            Keep a copy. <code>writecheck audit verify</code> proves later that the log still begins with it.
          </p>
          <VerifierKeyLine published={keys} />
        </div>
      </details>
    </section>
  );
}
