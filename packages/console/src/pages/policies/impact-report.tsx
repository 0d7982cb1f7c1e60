/** The report of a trial: what the bundle would newly stop and newly allow. */
import type { Changed, ImpactReport as Report } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { readDecision } from '../../calls/decisions.ts';
import type { Progress } from '../../calls/impact.ts';
import { counted } from '../../components/counted.ts';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { WriteTitle } from '../../components/decision/write-title.tsx';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Section } from '../../components/page.tsx';
import { BriefCallerText, RevealedText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { notReplayed } from './not-replayed.ts';
import type { Trial } from './use-trial.ts';

const ROWS_MAX = 5;

type Now = 'allowed' | 'stopped';

export function ImpactReport({ trial: { report, progress } }: { readonly trial: Trial }) {
  return (
    <Section kind="card impact" title="Impact on the last 7 days">
      <p role="status" class="quiet">
        {report === null
          ? `Replaying${soFar(progress)}`
          : `Replayed ${report.coverage.replayed.toLocaleString('en')} of ${counted(report.coverage.decisions, 'decision')}`}
      </p>
      {report === null ? (
        <progress aria-label="Replayed" value={progress?.done ?? 0} max={Math.max(1, progress?.total ?? 1)} />
      ) : report.coverage.decisions === 0 ? (
        <p>No live decisions in the last 7 days, so there is nothing to try it on.</p>
      ) : (
        <>
          <NotReplayed coverage={report.coverage} />
          <MoreReviews report={report} />
          <Change now="stopped" changed={report.newlyStopped} of={report.coverage.replayed} />
          <Change now="allowed" changed={report.newlyAllowed} of={report.coverage.replayed} />
          <Uncovered uncovered={report.uncovered} />
        </>
      )}
    </Section>
  );
}

export function NotReplayed({ coverage }: Pick<Report, 'coverage'>) {
  const why = notReplayed(coverage);
  return why === null ? null : <p class="quiet small-text">{why}</p>;
}

export function soFar(progress: Progress | null): string {
  if (progress === null || progress.total === 0) return '';
  return ` ${progress.done.toLocaleString('en')} of up to ${progress.total.toLocaleString('en')}`;
}

/** How much more work it makes; nothing if none. */
export function MoreReviews({ report }: { readonly report: Report }) {
  // Each write counts once, however often an agent sent it.
  const writes = report.matrix.intents.allow.pause;
  if (writes === 0) return null;
  return (
    <p>
      <strong>{counted(writes, 'more write')} to approve in 7 days.</strong>
    </p>
  );
}

/** The kinds of writes that wait because no rule is about them. */
function Uncovered({ uncovered }: Pick<Report, 'uncovered'>) {
  if (uncovered.length === 0) return null;
  return (
    <div class="stack near">
      <h3>No rule covers {counted(uncovered.length, 'kind')} of writes</h3>
      <ul class="brief">
        {uncovered.slice(0, ROWS_MAX).map(({ decisions, ...kind }) => {
          const names = Object.values(kind).filter((name) => name !== null);
          return (
            <li key={JSON.stringify(names)}>
              <BriefCallerText text={names.join(' ')} />{' '}
              <span class="quiet">{decisions.toLocaleString('en')}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** For a dialog: what opens first, and only where something changes. */
export function Changes({ report: { newlyAllowed, newlyStopped } }: { readonly report: Report }) {
  return (
    <>
      {newlyAllowed.decisions > 0 && <Examples now="allowed" changed={newlyAllowed} />}
      {newlyStopped.decisions > 0 && <Examples now="stopped" changed={newlyStopped} />}
    </>
  );
}

const IN_DIALOG_MAX = 3;

function Examples({ now, changed }: { readonly now: Now; readonly changed: Changed }) {
  return (
    <div class="stack near impact-change">
      <p class="quiet small-text">
        Newly {now}: {counted(changed.intents, 'different write')}.
      </p>
      <ExampleList examples={changed.examples} shownFirst={IN_DIALOG_MAX} />
    </div>
  );
}

/** One line for each; what all of them have in common is said once. */
function ExampleList({ examples, shownFirst }: Pick<Changed, 'examples'> & { readonly shownFirst: number }) {
  const [areAllShown, setAreAllShown] = useState(false);
  const shown = areAllShown ? examples : examples.slice(0, shownFirst);
  const pairs = new Set(examples.map(({ before, after }) => `${before.decision} ${after.decision}`));
  const isOnePair = pairs.size === 1;
  return (
    <>
      {isOnePair && (
        <p class="row">
          <Becomes example={examples[0]!} />
        </p>
      )}
      <ul class="brief">
        {shown.map((example) => (
          <li key={example.decision_id}>
            {!isOnePair && <Becomes example={example} />}
            <Example example={example} />
          </li>
        ))}
      </ul>
      {shown.length < examples.length && (
        <p>
          <button type="button" class="small" onClick={() => setAreAllShown(true)}>
            Show {examples.length - shown.length} more
          </button>
        </p>
      )}
    </>
  );
}

export function Becomes({
  example: { before, after },
  isHistory = false,
  why,
}: {
  readonly example: Pick<Changed['examples'][number], 'before' | 'after'>;
  /** Whether it really was decided so. */
  readonly isHistory?: boolean;
  readonly why?: string | undefined;
}) {
  return (
    <>
      {!isHistory && <span class="quiet small-text">would be</span>}
      <DecisionBadge decision={before.decision} />
      {why !== undefined && <span class="quiet small-text">{why}</span>}
      <span aria-hidden="true">→</span>
      <span class="hidden">becomes</span>
      <DecisionBadge decision={after.decision} />
    </>
  );
}

function Change({ now, changed, of }: { readonly now: Now; readonly changed: Changed; readonly of: number }) {
  const { decisions, intents, byCode, byRule } = changed;
  if (decisions === 0) return <p>Newly {now}: none</p>;
  return (
    <div class="stack near impact-change">
      <h3>
        Newly {now}: {counted(decisions, 'decision')} ({((decisions / of) * 100).toFixed(1)} %)
      </h3>
      <p class="quiet">{counted(intents, 'different write')}.</p>
      <dl class="facts">
        <Counts
          name="Reason"
          counts={byCode.map((each) => ({ name: reasonLabel(each.code), count: each.decisions }))}
        />
        <Counts
          name="Rule"
          counts={byRule.map((each) => ({ name: each.rule.replace(':', ' '), count: each.decisions }))}
        />
      </dl>
      <ExampleList examples={changed.examples} shownFirst={ROWS_MAX} />
    </div>
  );
}

/** Its title once it is read, so that a reader knows the write and not its number. */
function Example({ example: { decision_id: id } }: { readonly example: Changed['examples'][number] }) {
  const { value } = useLoad(`example ${id}`, (signal) => readDecision(id, signal));
  return (
    <>
      <a href={href(`/decisions/${id}`)}>
        {value === null ? <code>{id}</code> : <WriteTitle target={value.intent} isBrief hasAmount />}
      </a>
      {value !== null && (
        <span class="quiet small-text">
          <BriefCallerText text={value.keyName ?? value.keyId} />
        </span>
      )}
    </>
  );
}

function Counts({
  name,
  counts,
}: {
  readonly name: string;
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}) {
  return (
    <div>
      <dt>{name}</dt>
      {counts.slice(0, ROWS_MAX).map((each) => (
        <dd key={each.name}>
          <RevealedText text={each.name} /> <span class="quiet">{each.count.toLocaleString('en')}</span>
        </dd>
      ))}
    </div>
  );
}
