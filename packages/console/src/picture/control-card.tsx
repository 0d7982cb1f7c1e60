/** One required control: its evidence, the evidence's age, who requires it, and what would satisfy it. */
import type { ControlStatus } from '@writecheck/contract';
import { plainReason } from '../components/decision/plain-reason.ts';
import { DecisionGlyph } from '../components/decision-badge.tsx';
import { Moment } from '../components/moment.tsx';
import { CallerText, Told } from '../components/text.tsx';
import { href } from '../state/route.ts';
import { AgeBar } from './age-bar.tsx';
import { type EvidenceKind, RESULT_WORDS } from './evidence-facts.ts';
import type { ControlView } from './picture.ts';

const WORDS: { readonly [status in ControlStatus]: string } = {
  satisfied: 'satisfied',
  missing: 'missing',
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
  /** Only an allow uses evidence up. */
  readonly isAllowed: boolean;
  /** Whether the decision is of the past. */
  readonly isRecorded: boolean;
  /** The page's own sentence, which is not said twice. */
  readonly reason: string;
}

export function ControlCard({ control, supply, isAllowed, isRecorded, reason }: CardProps) {
  const { evaluation, limit, requiredBy, need, ageMs, evidence } = control;
  const { controlId, status, effect, present, result, source, evidenceRef } = evaluation;
  const isSaid = (what: string) => (isRecorded ? reason.includes(what) : reason === what);
  return (
    <li class={`control ${effect}`}>
      <p class="control-name">
        <DecisionGlyph decision={effect} />{' '}
        <strong>
          <CallerText text={controlId} />
        </strong>
        <span class="status">{WORDS[status]}</span>{' '}
        <span class="required-by small-text quiet">
          required by{' '}
          {requiredBy.map((by) => (
            <span key={by} class="chip">
              <CallerText text={by} />
            </span>
          ))}
        </span>
      </p>
      {present && (
        <>
          <p class="small-text">
            {/* What a review approved says so itself; its source and reference repeat it. */}
            {evidence?.kind !== 'review' && (
              <>
                {RESULT_WORDS[result ?? ''] ?? <Said text={result} />} in <Said text={source} />
                {evidenceRef !== undefined && (
                  <>
                    {' '}
                    · <Said text={evidenceRef} />
                  </>
                )}
                {'. '}
              </>
            )}
            {evidence !== null && (
              <Assurance
                evidence={evidence}
                isGood={status === 'satisfied'}
                isUsedUp={isAllowed && (limit?.use === 'once' || evidence.kind === 'review')}
              />
            )}
          </p>
          <AgeBar ageMs={ageMs} maxAgeMs={limit?.maxAgeMs} isThen={isRecorded} />
        </>
      )}
      {need !== null && status === 'satisfied' && (
        <p class="need">A new one will be needed: this one counts for this exact write only.</p>
      )}
      {need !== null && status !== 'satisfied' && !isSaid(need) && (
        <p class="need">
          Needs: <Told text={plainReason(need)} />
        </p>
      )}
      {supply !== undefined && SUPPLIABLE.has(status) && limit?.assurance !== 'attested' && (
        <button
          type="button"
          class="small"
          onClick={() => supply(control)}
          aria-label={`Add a pass for ${controlId}`}
        >
          Add a pass
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

/** Whether anybody vouches for the evidence. */
function Assurance({
  evidence,
  isGood,
  isUsedUp,
}: {
  readonly evidence: EvidenceKind;
  readonly isGood: boolean;
  readonly isUsedUp: boolean;
}) {
  if (evidence.kind === 'claimed') return <span class="quiet">Claimed by the caller; not signed.</span>;
  const usedUp = isUsedUp ? ' Used up by this decision.' : '';
  if (evidence.kind === 'review')
    return (
      <span>
        {isGood ? 'Approved' : 'Refers to a review'}
        {evidence.reviewId !== null && (
          <>
            {' in '}
            <a href={href(`/reviews/${evidence.reviewId}`)}>this review</a>
          </>
        )}
        .{usedUp}
      </span>
    );
  return (
    <span>
      {isGood ? 'Signed' : 'Carries a signature'}
      {evidence.kid !== null && (
        <>
          {' with key '}
          <Said text={evidence.kid} />
        </>
      )}
      {evidence.expiresAt !== null && (
        <>
          , valid until <Moment at={evidence.expiresAt} as="full" />
        </>
      )}
      .{usedUp}
    </span>
  );
}
