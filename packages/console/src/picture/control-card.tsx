/** One required control: its evidence, the evidence's age, who requires it, and what would satisfy it. */
import type { ControlStatus } from '@writecheck/contract';
import { CallerText } from '../components/caller-text.tsx';
import { DecisionGlyph } from '../components/decision-badge.tsx';
import { Told } from '../components/told.tsx';
import { AgeBar } from './age-bar.tsx';
import type { ControlView } from './picture.ts';

const WORDS: { readonly [status in ControlStatus]: string } = {
  satisfied: 'satisfied',
  missing: 'no evidence',
  failed: 'failed',
  stale: 'too old',
  expired: 'expired',
  revoked: 'revoked',
  untrusted: 'not trusted',
  unrecognized: 'result not recognized',
};

/** Statuses that more evidence can fix. */
const SUPPLIABLE: ReadonlySet<ControlStatus> = new Set(['missing', 'stale', 'expired', 'untrusted']);

interface CardProps {
  readonly control: ControlView;
  readonly supply?: ((control: ControlView) => void) | undefined;
}

export function ControlCard({ control, supply }: CardProps) {
  const { evaluation, limit, requiredBy, need, ageMs } = control;
  const { controlId, status, effect, present, result, source, evidenceRef } = evaluation;
  return (
    <li class={`control ${effect}`}>
      <p class="control-name">
        <DecisionGlyph decision={effect} />{' '}
        <strong>
          <CallerText text={controlId} />
        </strong>
        <span class="status">{WORDS[status]}</span>
      </p>
      {present && (
        <>
          <p class="small-text">
            <Said text={result} /> from <Said text={source} />
            {evidenceRef !== undefined && (
              <>
                {' '}
                · <Said text={evidenceRef} />
              </>
            )}
          </p>
          <AgeBar ageMs={ageMs} maxAgeMs={limit?.maxAgeMs} />
        </>
      )}
      <p class="required-by small-text quiet">
        required by{' '}
        {requiredBy.map((by) => (
          <span key={by} class="chip">
            <CallerText text={by} />
          </span>
        ))}
      </p>
      {need !== null && (
        <p class="need">
          Needs: <Told text={need} />
        </p>
      )}
      {supply !== undefined && SUPPLIABLE.has(status) && limit?.assurance !== 'attested' && (
        <button
          type="button"
          class="small"
          onClick={() => supply(control)}
          aria-label={`Add a PASS for ${controlId}`}
        >
          Add a PASS
        </button>
      )}
    </li>
  );
}

function Said({ text }: { readonly text: string | undefined }) {
  return (
    <code>
      <CallerText text={text ?? ''} />
    </code>
  );
}
