/** What the caller said around the write; no approval covers it. */
import type { Review } from '@writecheck/api';
import { ControlName } from '../../components/control-name.tsx';
import { evidenceIn, requesterOf } from '../../components/decision/said-in-intent.ts';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { aimedStretches } from '../../components/review/covered-write.tsx';
import { CallerText, RevealedText } from '../../components/text.tsx';
import { inWords } from '../../picture/durations.ts';
import { RESULT_WORDS } from '../../picture/evidence-facts.ts';

export function CallerSays({ review, isYours }: { readonly review: Review; readonly isYours: boolean }) {
  const { askedBy, intent } = review;
  const evidence = evidenceIn(intent);
  return (
    <Section
      kind="card caller-says"
      title={`Said by the caller, not part of ${isYours ? 'what you approve' : 'the write under review'}`}
    >
      {askedBy.map((asker) => (
        <dl key={`${asker.keyId} ${asker.at} ${asker.onBehalfOf}`} class="facts">
          <Fact name="Agent">
            <CallerText text={asker.keyName ?? asker.keyId} />{' '}
            <span class="quiet small-text">
              {review.keyKind} key · <Moment at={asker.at} />
            </span>
          </Fact>
          {/* Once: the write may name the same person, and then the approval covers it. */}
          {asker.onBehalfOf !== null && asker.onBehalfOf !== requesterOf(intent) && (
            <Fact name="For">
              <CallerText text={asker.onBehalfOf} />
            </Fact>
          )}
          {asker.justification !== null && (
            <Fact name="Justification">
              <Justification text={asker.justification} />
            </Fact>
          )}
          {asker.externalRef !== null && (
            <Fact name="Link">
              <ExternalLink url={asker.externalRef} />
            </Fact>
          )}
        </dl>
      ))}
      {typeof intent.runId === 'string' && (
        <dl class="facts">
          <Fact name="Run">
            <CallerText text={intent.runId} />
          </Fact>
        </dl>
      )}
      <h3>Checks that the agent reports</h3>
      {evidence.length === 0 ? (
        <p class="quiet">None.</p>
      ) : (
        <ul class="brief">
          {evidence.map((item, at) => (
            <li key={`${at} ${item.controlId}`}>
              <ControlName id={item.controlId} />{' '}
              <CallerText text={RESULT_WORDS[item.result] ?? item.result} /> in{' '}
              <CallerText text={item.source} />{' '}
              <span class="quiet small-text">
                {typeof item.checkedAt === 'string' ? (
                  <CheckedBefore at={item.checkedAt} asked={review.openedAt} />
                ) : (
                  'no time sent'
                )}
                {typeof item.evidenceRef === 'string' && (
                  <>
                    {' · '}
                    <CallerText text={item.evidenceRef} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Marked if it tells the reviewer what to do, and then never cut. */
function Justification({ text }: { readonly text: string }) {
  const stretches = aimedStretches(text);
  return stretches === undefined ? (
    <CallerText text={text} />
  ) : (
    <RevealedText text={text} stretches={stretches} />
  );
}

/** What counts is how old it was then, not how long the review has waited since. */
function CheckedBefore({ at, asked }: { readonly at: string; readonly asked: string }) {
  const beforeMs = Date.parse(asked) - Date.parse(at);
  return (
    <time dateTime={at} title={at}>
      {Number.isNaN(beforeMs)
        ? 'at an unknown time'
        : `${inWords(Math.abs(beforeMs))} ${beforeMs < 0 ? 'after' : 'before'} it asked`}
    </time>
  );
}

/** The host stands apart, because the rest of an address can imitate one. The page never fetches it. */
function ExternalLink({ url }: { readonly url: string }) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return <CallerText text={url} />;
  return (
    <>
      <a href={parsed.href} target="_blank" rel="noopener noreferrer">
        Open on <CallerText text={parsed.host} />
      </a>{' '}
      <span class="quiet small-text">
        <CallerText text={url} />
      </span>
    </>
  );
}
