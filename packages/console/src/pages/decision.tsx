/** One decision: its reasons, what would change it, the values compared, and its receipt. */
import type { WriteIntent } from '@writecheck/contract';
import { BriefCallerText, CallerText } from '../components/caller-text.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DecisionBadge } from '../components/decision-badge.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Moment } from '../components/moment.tsx';
import { revealedJson } from '../components/odd-characters.ts';
import { DecisionPicture } from '../picture/decision-picture.tsx';
import { fromResponse, pictureOf } from '../picture/picture.ts';
import { href } from '../state/route.ts';
import { useLoad } from '../use-load.ts';
import { targetOf } from './decisions-parts/decision-table.tsx';
import { type DecisionDetail, listDecisions, readDecision } from './decisions-parts/decisions-api.ts';
import { Fact, Provenance } from './decisions-parts/provenance.tsx';
import { ReceiptCard } from './decisions-parts/receipt-card.tsx';
import { ValueDifference } from './decisions-parts/value-difference.tsx';
import type { PageProps } from './page.ts';
import { ReviewOfDecision } from './reviews-parts/review-of-decision.tsx';
import './pieces.css';
import './decisions-parts/decisions.css';
import './reviews-parts/reviews.css';

export default function Decision({ params }: PageProps) {
  const id = params.id!;
  const { value, failure, reload } = useLoad(id, (signal) => readDecision(id, signal));
  return (
    <div class="page">
      <p>
        <a href={href('/decisions')}>Decisions</a>
      </p>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value === null ? failure === null && <p class="quiet">Loading …</p> : <Shown detail={value} />}
    </div>
  );
}

function Shown({ detail }: { readonly detail: DecisionDetail }) {
  const { response } = detail;
  const intent = sentMembers(detail.intent);
  const { system, objectType, objectRef, field, operation } = intent;
  const about = [objectType, objectRef].filter((part) => part !== undefined).join(' ') || system;
  return (
    <>
      <div class="decision-head">
        <DecisionBadge decision={response.decision} large />
        <h1>
          <CallerText text={about} />
        </h1>
      </div>
      <dl class="facts">
        <Fact name="System">
          <CallerText text={system} />
        </Fact>
        {field !== undefined && (
          <Fact name="Field">
            <CallerText text={field} />
          </Fact>
        )}
        {operation !== undefined && (
          <Fact name="Operation">
            <CallerText text={operation} />
          </Fact>
        )}
        {intent.workflowId !== undefined && (
          <Fact name="Workflow">
            <a href={href('/decisions', { workflowId: intent.workflowId, time: 'all' })}>
              <BriefCallerText text={intent.workflowId} />
            </a>
          </Fact>
        )}
        {intent.runId !== undefined && (
          <Fact name="Run">
            <a href={href('/decisions', { runId: intent.runId, time: 'all' })}>
              <BriefCallerText text={intent.runId} />
            </a>
          </Fact>
        )}
        <Fact name="Decided">
          <Moment at={detail.timestamp} />
        </Fact>
        <Fact name="Requested by">
          <a href={href('/keys')}>
            <code>{detail.keyId}</code>
          </a>
        </Fact>
        <Fact name="Decision ID">
          <code>{detail.decision_id}</code> <CopyButton text={detail.decision_id} what="the decision ID" />
        </Fact>
      </dl>
      <h2 class="hidden">Why</h2>
      <DecisionPicture picture={pictureOf(fromResponse(response), intent)} />
      {response.decision === 'pause' && <ReviewOfDecision response={response} />}
      <p>
        <a href={href('/playground', { decision: detail.decision_id })}>Try it in the playground</a>{' '}
        <span class="quiet">to run it again under today’s policies</span>
      </p>
      {(intent.agentValue !== undefined || intent.authorityValue !== undefined) && (
        <ValueDifference
          agentValue={intent.agentValue}
          authorityValue={intent.authorityValue}
          authoritySource={intent.authoritySource}
        />
      )}
      <div class="two">
        <Provenance response={response} />
        <ReceiptCard detail={detail} />
      </div>
      {objectRef !== undefined && (
        <SameObject
          system={system}
          objectType={objectType ?? null}
          objectRef={objectRef}
          except={detail.decision_id}
        />
      )}
      <details class="card">
        <summary>Intent and response as JSON</summary>
        {(['intent', 'response'] as const).map((what) => (
          <div key={what} class="command">
            <pre>{revealedJson(detail[what])}</pre>
            <CopyButton text={JSON.stringify(detail[what], null, 2)} what={`the ${what}`} />
          </div>
        ))}
      </details>
    </>
  );
}

const SHOWN_MAX = 5;
const LOOKED_THROUGH = 50;

/** Later decisions about the same object show what became of a paused write. */
function SameObject({
  system,
  objectType,
  objectRef,
  except,
}: {
  readonly system: string;
  readonly objectType: string | null;
  readonly objectRef: string;
  readonly except: string;
}) {
  const { value, failure, reload } = useLoad(`object ${JSON.stringify([system, objectRef])}`, (signal) =>
    listDecisions({ system, objectRef, limit: String(LOOKED_THROUGH) }, signal),
  );
  const others = (value?.decisions ?? []).filter(
    (row) => row.decision_id !== except && row.objectType === objectType,
  );
  return (
    <section class="card" aria-labelledby="same-object">
      <div class="row">
        <h2 id="same-object">Other decisions about this object</h2>
        <a href={href('/decisions', { system, objectRef, time: 'all' })}>Show all</a>
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value === null ? (
        failure === null && <p class="quiet">Loading …</p>
      ) : others.length === 0 ? (
        <p class="quiet">
          {value.nextCursor === null
            ? 'None.'
            : `None among the newest ${LOOKED_THROUGH} with this reference.`}
        </p>
      ) : (
        <ul class="brief">
          {others.slice(0, SHOWN_MAX).map((row) => (
            <li key={row.decision_id}>
              <DecisionBadge decision={row.decision} />{' '}
              <a href={href(`/decisions/${row.decision_id}`)}>
                <BriefCallerText text={targetOf(row)} />
              </a>{' '}
              <span class="quiet small-text">
                <code>{row.reason_code}</code> · <Moment at={row.timestamp} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Null members count as absent. */
function sentMembers(intent: DecisionDetail['intent']): WriteIntent {
  return Object.fromEntries(
    Object.entries(intent).filter(([, value]) => value !== null),
  ) as unknown as WriteIntent;
}
