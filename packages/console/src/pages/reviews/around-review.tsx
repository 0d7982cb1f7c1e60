/** Around the write: what stands out, who must approve, what else is missing, and other reviews of the object. */
import type { Review } from '@writecheck/api';
import { ControlName } from '../../components/control-name.tsx';
import { beyondInWords } from '../../components/decision/beyond-limit.ts';
import { plainReason } from '../../components/decision/plain-reason.ts';
import { WriteTitle } from '../../components/decision/write-title.tsx';
import { controlInWords } from '../../components/member-labels.ts';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { STATES } from '../../components/review/review-words.tsx';
import { isGrave, type Warning } from '../../components/review/warnings.ts';
import { CallerText, RevealedText, Told } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import type { Behind } from './decision-behind.tsx';
import { given, requirerInWords, ruleInWords, whyInWords } from './rule-words.ts';

export function WhyReview({ review, behind }: { readonly review: Review; readonly behind: Behind | null }) {
  const requiredBy = new Map(
    behind?.detail.response.requirementProvenance.map(({ controlId, sources }) => [controlId, sources]),
  );
  // Null unless a limit is why a person must look.
  const beyond = behind && beyondInWords(behind.detail, behind.documents);
  const agent = review.askedBy[0]?.keyName ?? 'the agent';
  const isOpen = review.state === 'open';
  return (
    <Section title={isOpen ? 'Why it needs a review' : 'Why it needed a review'}>
      {beyond !== null && (
        <p>
          <Told text={beyond} />
        </p>
      )}
      <p>
        <RevealedText text={whyInWords(review, agent)} />
      </p>
      <ul class="brief">
        {review.controls.map((control) => (
          <li key={control.controlId}>
            <strong>
              <ControlName id={control.controlId} />
            </strong>{' '}
            <span class="small-text">{given(review, control)}</span>
            <p class="small-text quiet">
              <Told text={ruleInWords(review, control)} />
            </p>
            {requiredBy.has(control.controlId) && (
              <p class="small-text quiet">
                Required by{' '}
                {requiredBy.get(control.controlId)!.map((source, at) => (
                  <span key={source} title={source}>
                    {at > 0 && ', '}
                    <Told text={requirerInWords(source)} />
                  </span>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
      {(review.different ?? []).map((controls) => (
        <p key={controls.join()} class="small-text">
          No person’s approval {isOpen ? 'counts' : 'counted'} for two of{' '}
          <CallerText text={controls.map(controlInWords).join(', ')} />.
        </p>
      ))}
      {isOpen && review.alsoNeeded.length === 0 && <p class="small-text">The agent needs nothing else.</p>}
      <p class="small-text">
        <a href={href(`/decisions/${review.decisionId}`)}>Show the decision</a>
      </p>
    </Section>
  );
}

export function AlsoNeeded({ review }: { readonly review: Review }) {
  if (review.alsoNeeded.length === 0) return null;
  return (
    <Section title={`What else the agent ${review.state === 'open' ? 'must' : 'had to'} supply`}>
      <ul class="brief">
        {review.alsoNeeded.map(({ gate, controlId, need }) => (
          <li key={`${gate} ${controlId} ${need}`}>
            {controlId !== undefined && (
              <>
                <ControlName id={controlId} />:{' '}
              </>
            )}
            <Told text={plainReason(need)} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Nothing if nothing stands out. Red if somebody tries to deceive, amber if it only needs a thought. */
export function BeforeYouDecide({
  warnings,
  isYours,
}: {
  readonly warnings: readonly Warning[];
  readonly isYours: boolean;
}) {
  if (warnings.length === 0) return null;
  return (
    <section class={`note ${toneOf(warnings)}`} aria-labelledby="before-you-decide">
      <h2 id="before-you-decide">{isYours ? 'Before you decide' : 'What stands out'}</h2>
      <Warnings warnings={warnings} />
    </section>
  );
}

export function toneOf(warnings: readonly Warning[]): string {
  return warnings.some(isGrave) ? 'note-bad' : 'note-care';
}

export function Warnings({ warnings }: { readonly warnings: readonly Warning[] }) {
  return (
    <ul class="warnings">
      {warnings.map((warning) => (
        <li key={warning.text} class={isGrave(warning) ? 'grave' : ''}>
          <Told text={warning.text} />
          {warning.path !== undefined && (
            <>
              {' '}
              <a href={href(warning.path)}>Show it</a>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The same write before, and other open reviews of the same object. */
export function RelatedReviews({
  review,
  alsoOpen,
}: {
  readonly review: Review;
  readonly alsoOpen: readonly Review[];
}) {
  const earlier = review.earlier ?? [];
  if (earlier.length + alsoOpen.length === 0) return null;
  return (
    <Section title="Related reviews">
      <ul class="brief">
        {earlier.map(({ id, state, at }) => (
          <li key={id}>
            <a href={href(`/reviews/${id}`)}>{STATES[state].word}</a>{' '}
            <span class="quiet small-text">
              the same write, <Moment at={at} />
            </span>
          </li>
        ))}
        {alsoOpen.map((other) => (
          <li key={other.id}>
            <a href={href(`/reviews/${other.id}`)}>
              <WriteTitle target={other.intent} isBrief />
            </a>{' '}
            <span class="quiet small-text">also open</span>
            {typeof other.intent.agentValue === 'string' && (
              <p class="small-text">
                <code>
                  <CallerText text={other.intent.agentValue} />
                </code>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
