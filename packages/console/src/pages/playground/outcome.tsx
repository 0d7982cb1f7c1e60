/** The predicted outcome, and the service's decision once the intent is sent. */
import { type DecisionResponse, type EvidenceItem, isObject, type JsonObject } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Told } from '../../components/text.tsx';
import { Caption, DecisionPicture } from '../../picture/decision-picture.tsx';
import { claimedFacts, type RecordValues } from '../../picture/evidence-facts.ts';
import { type ControlView, type Decided, fromResponse, pictureOf } from '../../picture/picture.ts';
import { RecordCard } from '../../picture/record-card.tsx';
import { valuesOf } from '../../picture/record-facts.ts';
import { href } from '../../state/route.ts';
import { changesBetween } from './changes.ts';
import type { Draft } from './draft.ts';
import { type Drawn, type Ground, type Prediction, predict, supposesSigned } from './predict.ts';
import { isSupposed } from './supposed.ts';
import { SupposedLimits } from './supposed-limits.tsx';

export interface Sent {
  readonly intent: JsonObject;
  readonly response: DecisionResponse;
}

interface OutcomeProps {
  readonly draft: Draft;
  readonly intent: JsonObject;
  readonly ground: Ground;
  /** Such as "with policy revision 2". */
  readonly policyName: string;
  readonly documents: readonly PolicyDocument[];
  readonly sent: Sent | null;
  /** How much of each limit is supposed to be drawn, until the user says otherwise. */
  readonly drawnFirst: Drawn;
  /** Whether the editor's text is invalid, so that the outcome belongs to an earlier text. */
  readonly isOutdated: boolean;
  readonly onSupply: (controlId: string, source: string) => void;
  readonly onFacts: (controlId: string, source: string) => void;
}

/** Evidence ages while the page is open. */
const AGE_EVERY_MS = 5_000;

export function Outcome({ isOutdated, ...rest }: OutcomeProps) {
  return (
    <>
      {isOutdated && (
        <p class="note note-warn">
          <strong>Out of date.</strong> The greyed-out outcome is for the last valid text. Fix the JSON to
          continue.
        </p>
      )}
      <div
        class={`stack far bench-result${isOutdated ? ' outdated' : ''}`}
        inert={isOutdated}
        aria-disabled={isOutdated}
      >
        <Found {...rest} />
      </div>
    </>
  );
}

function Found({
  draft,
  intent,
  ground,
  policyName,
  documents,
  sent,
  drawnFirst,
  onSupply,
  onFacts,
}: Omit<OutcomeProps, 'isOutdated'>) {
  const nowMs = useNow(AGE_EVERY_MS);
  const [drawn, setDrawn] = useState(drawnFirst);
  const current = usePrediction(intent, ground, nowMs, drawn);
  const complete = usePrediction(draft.intent, ground, nowMs, drawn);
  if (current === null) return <p class="quiet">Deciding …</p>;
  if (current.kind === 'refused') {
    return (
      <div class="note note-warn" role="status">
        <p>
          <strong>The service would reject this</strong> with <code>{current.code}</code>, without a decision:
        </p>
        <ul class="faults">
          {current.faults.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <code>{pointer === '' ? 'body' : pointer}</code> <Told text={message} />
            </li>
          ))}
        </ul>
      </div>
    );
  }
  const { snapshot } = ground;
  const isAnswered = sent !== null && sent.intent === intent;
  const decided = isAnswered ? fromResponse(sent.response) : current.decided;
  const picture = pictureOf(decided, current.intent, (controlId) => snapshot.controlOf(controlId));
  const items = current.intent.controlEvidence ?? [];
  const factsOf = (item: EvidenceItem, at: number) => supposedFacts(intent, at) ?? claimedFacts(item);
  const factsBy = (controlId: string) => {
    const reading = decided.facts?.find((each) => each.controlId === controlId);
    return reading === undefined ? null : valuesOf(reading, items, factsOf);
  };
  const supply = ({ evaluation, limit }: ControlView) =>
    onSupply(evaluation.controlId, limit?.sources?.[0] ?? 'playground');
  return (
    <>
      <div class="card">
        <p class="glance" role="status">
          <DecisionBadge decision={decided.decision} />{' '}
          <span title={decided.reasonCode}>{reasonLabel(decided.reasonCode)}</span>
        </p>
        <p>
          {isAnswered ? (
            <>
              <strong>Decided by the service</strong> and recorded as{' '}
              <a href={href(`/decisions/${sent.response.decision_id}`)}>
                <code>{sent.response.decision_id}</code>
              </a>
            </>
          ) : (
            <>
              <strong>Predicted in this page</strong> <span class="quiet">{policyName}</span>
            </>
          )}
        </p>
        <Caption decided={decided} />
        <DecisionPicture picture={picture} supply={supply} />
        {!window.isSecureContext && current.intent.controlEvidence?.some(isAttested) && (
          <p class="note note-warn">
            Over plain HTTP this page can’t verify signatures, so attested evidence counts as untrusted here.
            The service verifies it when you send.
          </p>
        )}
        {!isAnswered && sent !== null && (
          <Changes before={fromResponse(sent.response)} after={current.decided}>
            Since it was sent
          </Changes>
        )}
        {draft.off.size > 0 && complete?.kind === 'decided' && (
          <Changes before={complete.decided} after={current.decided}>
            With {draft.off.size === 1 ? 'one item' : `${draft.off.size} items`} switched off
          </Changes>
        )}
        {isAnswered && current.decided.decision !== decided.decision && (
          <p class="note note-warn">
            This page predicted {current.decided.decision}. The service also knows revoked and used evidence,
            and may have a newer policy.
          </p>
        )}
        {supposesSigned(intent) && (
          <p class="note note-warn">
            Items marked <code>test:signed</code> count as signed on this page only. The service does not
            trust them; sign them with <code>writecheck evidence sign</code>.
          </p>
        )}
        {current.faults.map(({ pointer, message }) => (
          <p key={pointer} class="note note-bad" role="alert">
            <code>{pointer}</code> <Told text={message} />
          </p>
        ))}
      </div>
      {decided.facts !== undefined && (
        <RecordCard
          readings={decided.facts}
          intent={current.intent}
          documents={documents}
          atMs={decided.atMs}
          factsOf={factsOf}
          {...(isAnswered ? {} : { onAdd: onFacts })}
        />
      )}
      <SupposedLimits
        decided={decided}
        intent={intent}
        documents={documents}
        factsOf={factsBy}
        drawn={drawn}
        onDrawn={isAnswered ? null : setDrawn}
      />
    </>
  );
}

/** What the draft supposes that a source signed; null for an item with a signature of its own. */
function supposedFacts({ controlEvidence }: JsonObject, at: number): RecordValues | null {
  const item: unknown = Array.isArray(controlEvidence) ? controlEvidence[at] : null;
  return isObject(item) && isSupposed(item) && isObject(item.facts) ? item.facts : null;
}

function isAttested({ attestation }: EvidenceItem): boolean {
  return attestation !== undefined;
}

interface ChangesProps {
  readonly before: Decided;
  readonly after: Decided;
  readonly children: ComponentChildren;
}

function Changes({ before, after, children }: ChangesProps) {
  const changes = changesBetween(before, after);
  return (
    <div class="note">
      <p>
        <strong>{children}:</strong> {changes.length === 0 && 'no change.'}
      </p>
      {changes.length > 0 && (
        <ul class="faults">
          {changes.map((change) => (
            <li key={change}>
              <Told text={change} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/**
 * INVARIANT: never returns the prediction of another intent or bundle, not even for one render. Over another `drawn` or
 * time the last one stays until the next is verified, so that the field for it keeps the focus.
 */
function usePrediction(
  intent: JsonObject,
  { snapshot, workspace }: Ground,
  nowMs: number,
  drawn: Drawn,
): Prediction | null {
  const begun = useMemo(
    () => predict(intent, { snapshot, workspace }, nowMs, drawn),
    [intent, snapshot, workspace, nowMs, drawn],
  );
  const [verified, setVerified] = useState<Verified | null>(null);
  useEffect(() => {
    let isOld = false;
    if (begun instanceof Promise)
      begun.then((prediction) => !isOld && setVerified({ intent, snapshot, prediction }));
    return () => {
      isOld = true;
    };
  }, [begun, intent, snapshot]);
  if (!(begun instanceof Promise)) return begun;
  return verified?.intent === intent && verified.snapshot === snapshot ? verified.prediction : null;
}

interface Verified extends Pick<Ground, 'snapshot'> {
  readonly intent: JsonObject;
  readonly prediction: Prediction;
}

function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
