/** The key that signs the log: its fingerprint, and a way to pin one that came from elsewhere. */
import { parseVerifierKeys } from '@writecheck/ledger';
import { useState } from 'preact/hooks';
import { useStore } from '../../state/store.ts';
import { CopyButton } from '../copy-button.tsx';
import { TextField } from '../field.tsx';
import { pinKey, pinnedKey } from './pinned-key.ts';

export function VerifierKeyLine({ published }: { readonly published: string }) {
  const pinned = useStore(pinnedKey);
  const [entered, setEntered] = useState<string | null>(null);
  const [isWrong, setIsWrong] = useState(false);
  const lines = published.trim().split('\n');
  // Those of the past follow it.
  const [current = ''] = lines;
  const pin = (line: string) => {
    const trimmed = line.trim();
    const isKey = parseVerifierKeys(trimmed) !== null && trimmed !== '';
    setIsWrong(!isKey);
    if (!isKey) return;
    pinKey(trimmed);
    setEntered(null);
  };
  return (
    <div class="stack near">
      <p class="small-text">
        <span class="quiet">
          {pinned === null ? 'Key published by this service' : 'Key pinned in this browser'}
        </span>{' '}
        <code>{pinned ?? current}</code> <CopyButton text={pinned ?? current} what="the verifier key" />
      </p>
      {pinned !== null && !lines.includes(pinned) && (
        <p class="note note-bad" role="alert">
          <strong>The service publishes another key.</strong> Ask your operator whether the key was changed.
        </p>
      )}
      {entered === null ? (
        <div class="row no-print">
          {pinned === null ? (
            <>
              <span class="quiet small-text">
                It comes from the same service as this page. Compare it with the one you were given, then pin
                it.
              </span>
              <button type="button" class="small" onClick={() => pin(current)}>
                Pin this key
              </button>
              <button type="button" class="small" onClick={() => setEntered('')}>
                Pin another …
              </button>
            </>
          ) : (
            <button type="button" class="small" onClick={() => pinKey(null)}>
              Unpin
            </button>
          )}
        </div>
      ) : (
        <form
          class="row no-print"
          onSubmit={(event) => {
            event.preventDefault();
            pin(entered);
          }}
        >
          <TextField
            kind="inline"
            label="Verifier key"
            value={entered}
            spellcheck={false}
            autocomplete="off"
            placeholder="name+1a2b3c4d+base64"
            aria-invalid={isWrong}
            onInput={setEntered}
          />
          <button type="submit">Pin</button>
          <button type="button" onClick={() => setEntered(null)}>
            Cancel
          </button>
          {isWrong && (
            <p class="note note-bad" role="alert">
              That isn’t a verifier key. Copy the whole line that <code>/v1/audit/key</code> returns.
            </p>
          )}
        </form>
      )}
    </div>
  );
}
