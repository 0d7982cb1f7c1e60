/** Stops writes like this one: the same member or operation of the same system, by the same agent. */
import { freezing } from '../../state/freezing.ts';
import { useRight } from '../../state/session.ts';
import type { SaidIntent } from '../decision/said-in-intent.ts';
import { fieldInWords } from '../member-labels.ts';
import { RevealedText } from '../text.tsx';

/** Nothing for those who may not stop writes. */
export function FreezeLike({
  intent: { system, operation, field },
  keyId,
  agent,
  isFolded = false,
}: {
  readonly intent: SaidIntent;
  readonly keyId: string;
  /** What to call the key. */
  readonly agent: string;
  /** For an ordinary write, which is no reason to stop its agent. */
  readonly isFolded?: boolean;
}) {
  const mayFreeze = useRight('createFreeze');
  if (!mayFreeze || typeof system !== 'string') return null;
  const freeze = () =>
    freezing.set({
      system,
      ...(typeof operation === 'string' ? { operation } : {}),
      ...(typeof field === 'string' ? { field } : {}),
      keyId,
    });
  const what =
    typeof field === 'string' ? `${fieldInWords(field).replace(/^the /, '')} changes` : 'writes like this';
  const button = (
    <button type="button" onClick={freeze}>
      <RevealedText text={`Freeze ${what} by ${agent} …`} />
    </button>
  );
  if (!isFolded) return button;
  return (
    <details class="menu">
      <summary class="button">More</summary>
      {button}
    </details>
  );
}
