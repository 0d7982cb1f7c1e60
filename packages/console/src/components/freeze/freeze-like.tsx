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
}: {
  readonly intent: SaidIntent;
  readonly keyId: string;
  /** What to call the key. */
  readonly agent: string;
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
  return (
    <button type="button" onClick={freeze}>
      <RevealedText text={`Freeze ${what} by ${agent} …`} />
    </button>
  );
}
