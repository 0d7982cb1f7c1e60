/** What the predicted write takes of each limit, with a field for how much is drawn already. */
import { amountOfText, type JsonObject } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { FieldFault } from '../../components/field-fault.tsx';
import type { Looked } from '../../picture/limit-group.ts';
import { LimitLines } from '../../picture/limit-lines.tsx';
import type { Decided } from '../../picture/picture.ts';
import type { Drawn } from './predict.ts';

/** Nothing if no limit applies. */
export function SupposedLimits({
  decided,
  intent,
  documents,
  factsOf,
  drawn,
  onDrawn,
}: {
  readonly decided: Decided;
  readonly intent: JsonObject;
  readonly documents: readonly PolicyDocument[];
  readonly factsOf: Looked['factsOf'];
  readonly drawn: Drawn;
  readonly onDrawn: ((drawn: Drawn) => void) | null;
}) {
  const { limits = [] } = decided;
  if (limits.length === 0) return null;
  return (
    <section class="card" aria-label="Limits">
      <h2>Limits</h2>
      <LimitLines
        limits={limits}
        documents={documents}
        looked={{ intent, keyName: 'this key', factsOf }}
        beside={
          onDrawn === null
            ? undefined
            : ({ id }) => {
                const text = drawn[id] ?? '';
                const isBad = text !== '' && amountOfText(text) === null;
                return (
                  <label class="supposed">
                    Suppose this much is drawn already
                    <input
                      inputMode="decimal"
                      value={text}
                      placeholder="0"
                      aria-label={`Drawn of ${id}`}
                      aria-invalid={isBad}
                      onInput={(event) => onDrawn({ ...drawn, [id]: event.currentTarget.value.trim() })}
                    />
                    <FieldFault
                      text={isBad ? 'Use a number such as 480 or 12.50; 0 counts until then.' : null}
                    />
                  </label>
                );
              }
        }
      />
    </section>
  );
}
