/** The report of a trial: what the bundle would newly stop and newly allow. */
import type { Changed } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { listDecisions, readDecision } from '../../calls/decisions.ts';
import type { RunAndReport } from '../../calls/impact.ts';
import { counted } from '../../components/counted.ts';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { WriteTitle } from '../../components/decision/write-title.tsx';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Section } from '../../components/page.tsx';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { BriefCallerText, RevealedText, Told } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { asRecorded, thenWords } from './as-recorded.ts';
import { limitsBehind } from './limits-behind.ts';
import { moreReviews } from './more-reviews.ts';
import { notReplayed } from './not-replayed.ts';

const ROWS_MAX = 5;

type Now = 'allowed' | 'stopped';

export function ImpactReport({
  shown,
  changes,
}: {
  readonly shown: RunAndReport;
  /** Of the bundle that was tried. */
  readonly changes: readonly DocumentChange[];
}) {
  const { run, report } = shown;
  const { coverage, newlyStopped, newlyAllowed } = report;
  const { done, total } = run.progress;
  return (
    <Section kind="card impact" title="Impact on the last 30 days">
      <p role="status" class="quiet">
        {run.state === 'running'
          ? `Replaying: ${done.toLocaleString('en')} of up to ${total.toLocaleString('en')} decisions`
          : run.state === 'done'
            ? `Replayed ${coverage.replayed.toLocaleString('en')} of ${coverage.decisions.toLocaleString('en')} decisions`
            : `The trial ${run.state === 'failed' ? 'failed' : 'was stopped'}. These are the counts so far.`}
      </p>
      {run.state === 'done' && <NotReplayed coverage={coverage} />}
      {run.state === 'running' && <progress aria-label="Replayed" value={done} max={Math.max(1, total)} />}
      {run.because !== null && (
        <p class="note note-bad">
          <Told text={run.because} />
        </p>
      )}
      {run.state === 'done' && coverage.decisions === 0 ? (
        <p>No live decisions in the last 30 days, so there is nothing to try it on.</p>
      ) : (
        <>
          <MoreReviews shown={shown} />
          <Change
            now="stopped"
            changed={newlyStopped}
            limits={limitsBehind(newlyStopped, changes)}
            isOver={run.state === 'done'}
          />
          <Change
            now="allowed"
            changed={newlyAllowed}
            limits={limitsBehind(newlyAllowed, changes)}
            isOver={run.state === 'done'}
          />
        </>
      )}
    </Section>
  );
}

export function NotReplayed({ coverage }: Pick<RunAndReport['report'], 'coverage'>) {
  const why = notReplayed(coverage);
  return why === null ? null : <p class="quiet small-text">{why}</p>;
}

/** How much more work it makes; nothing if none. */
export function MoreReviews({ shown: { run, report } }: { readonly shown: RunAndReport }) {
  // Each write counts once, however often an agent sent it.
  const writes = run.state === 'done' ? report.matrix.decision.intents.allow.pause : 0;
  return writes === 0 ? null : <Reviews writes={writes} run={run} />;
}

function Reviews({ writes, run: { from, to } }: { readonly writes: number } & Pick<RunAndReport, 'run'>) {
  const oldest = useLoad(`oldest ${from}`, (signal) =>
    listDecisions({ from, to, order: 'oldest', limit: '1' }, signal),
  );
  if (oldest.value === null) return null;
  const begun = oldest.value.decisions[0]?.timestamp ?? from;
  return (
    <p>
      <strong>{moreReviews(writes, { from, to, begun })}</strong>
    </p>
  );
}

/** For a dialog: what opens first, and only where something changes. */
export function Changes({ report: { newlyAllowed, newlyStopped } }: Pick<RunAndReport, 'report'>) {
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
        Newly {now}: {counted(changed.intents, 'different write')}, {counted(changed.objects, 'object')},{' '}
        {counted(changed.agents, 'agent')}. {asRecorded(changed, now)}
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

function Change({
  now,
  changed,
  limits,
  isOver,
}: {
  readonly now: Now;
  readonly changed: Changed;
  /** That the bundle changes, if a limit is a reason. */
  readonly limits: readonly string[];
  /** Before that, none so far may still become some. */
  readonly isOver: boolean;
}) {
  const { decisions, intents, share, agents, objects } = changed;
  if (decisions === 0) return isOver ? <p>Newly {now}: none</p> : null;
  const byRule = changed.byProfile.map(({ profile, decisions: count }) => ({
    name: profile ?? 'no profile',
    count,
  }));
  const byReason = changed.byCode.map(({ code, decisions: count }) => ({ name: reasonLabel(code), count }));
  return (
    <div class="stack near impact-change">
      <h3>
        Newly {now}: {counted(decisions, 'decision')} ({(share * 100).toFixed(1)} %)
      </h3>
      <p class="quiet">
        {counted(intents, 'different write')}, {counted(objects, 'object')}, {counted(agents, 'agent')}.{' '}
        {asRecorded(changed, now)}
      </p>
      <dl class="facts">
        <Counts name="Reason" counts={byReason} />
        {limits.length > 0 && (
          <div>
            <dt>{limits.length === 1 ? 'Changed limit' : 'Changed limits'}</dt>
            {limits.map((limit) => (
              <dd key={limit}>
                <RevealedText text={limit} />
              </dd>
            ))}
          </div>
        )}
        <Counts name="Profile of the writes" counts={byRule} />
      </dl>
      <ExampleList examples={changed.examples} shownFirst={ROWS_MAX} />
    </div>
  );
}

/** Its title once it is read, so that a reader knows the write and not its number. */
function Example({
  example: { decision_id: id, before, recorded },
}: {
  readonly example: Changed['examples'][number];
}) {
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
      {recorded !== undefined && recorded.decision !== before.decision && (
        <span class="quiet small-text">{thenWords(recorded)}</span>
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
          {each.name} <span class="quiet">{each.count.toLocaleString('en')}</span>
        </dd>
      ))}
    </div>
  );
}
