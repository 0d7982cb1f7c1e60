/** One decision, in the order a person asks: what, from what to what, who, why, what now, and the proof. */
import type { DecisionDetail } from '@writecheck/api';
import { areLookAlikes, type DecisionResponse, revealedJson, type WriteIntent } from '@writecheck/contract';
import { useMemo } from 'preact/hooks';
import { listDecisions, readDecision } from '../../calls/decisions.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { cutAround } from '../../components/cut-around.ts';
import { beyondInWords, isLookAlike, reasonInShort } from '../../components/decision/beyond-limit.ts';
import { DecisionLimits } from '../../components/decision/decision-limits.tsx';
import { plainReason } from '../../components/decision/plain-reason.ts';
import { Provenance } from '../../components/decision/provenance.tsx';
import { ReceiptCard } from '../../components/decision/receipt-card.tsx';
import { sentMembers } from '../../components/decision/said-in-intent.ts';
import { SameObject } from '../../components/decision/same-object.tsx';
import { limitIn, useRevision } from '../../components/decision/use-revision.ts';
import { titleOf, WriteTitle } from '../../components/decision/write-title.tsx';
import { DecisionBadge, OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';
import { DetailPage, Section } from '../../components/page.tsx';
import { quoted } from '../../components/quoted.ts';
import { RevealedText, Told } from '../../components/text.tsx';
import { DecisionPicture } from '../../picture/decision-picture.tsx';
import { fromResponse, pictureOf } from '../../picture/picture.ts';
import { RecordCard } from '../../picture/record-card.tsx';
import { useLastList } from '../../state/last-list.ts';
import { useLookedAt } from '../../state/looked-at.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import type { PageProps } from '../page.ts';
import { Became } from './became.tsx';
import { DecisionFacts } from './decision-facts.tsx';
import { Alarm, WhatNow } from './what-now.tsx';
import { WriteCard } from './write-card.tsx';

export default function Decision({ params }: PageProps) {
  const id = params.id!;
  const load = useLoad(id, (signal) => readDecision(id, signal));
  const { value } = load;
  const list = useLastList();
  useLookedAt(
    value === null
      ? null
      : {
          label: titleOf(value.intent),
          what: `${OUTCOMES_IN_WORDS[value.response.decision].toLowerCase()} write`,
          path: `/decisions/${id}`,
        },
  );
  return (
    <DetailPage
      load={load}
      what="Decision"
      back={
        <p class="back">
          <a href={list?.href ?? href('/decisions')}>{list?.name ?? 'Decisions'}</a>
        </p>
      }
      missing={
        <a class="button" href={href('/decisions')}>
          Search decisions
        </a>
      }
    >
      {(detail) => <Shown detail={detail} />}
    </DetailPage>
  );
}

function Shown({ detail }: { readonly detail: DecisionDetail }) {
  const { response } = detail;
  const intent = useMemo(() => sentMembers(detail.intent), [detail]);
  const revision = useRevision(response.profileProvenance.policyRef, detail.timestamp);
  const documents = revision?.documents ?? NO_DOCUMENTS;
  const beyond = beyondInWords(detail, documents);
  const isSuspect = response.decision !== 'allow' && isLookAlike(detail);
  const picture = pictureOf(fromResponse(response), intent, (controlId) => limitIn(revision, controlId));
  return (
    <>
      <div class="decision-head">
        <DecisionBadge decision={response.decision} large />
        <h1>
          <WriteTitle target={intent} />
        </h1>
        <span class={isSuspect ? 'warn-tag' : 'quiet'}>{reasonInShort(detail)}</span>
      </div>
      {isSuspect && <Alarm response={response} source={intent.authoritySource} />}
      <div class="stack far with-rail">
        <div class="stack far rail-main">
          <WriteCard intent={intent} digest={response.intentDigest} />
          <Section title={WHY[response.decision]}>
            {beyond !== null && (
              <p>
                <Told text={beyond} />
              </p>
            )}
            <p class={beyond === null ? '' : 'quiet small-text'}>
              <Told text={reasonOf(response, intent)} />
            </p>
            {(response.warnings ?? []).map((warning) => (
              <p key={warning} class="quiet">
                Warning: <Told text={warning} />
              </p>
            ))}
            <DecisionPicture picture={picture} isRecorded />
            <DecisionLimits detail={detail} documents={documents} isPart />
            <Provenance response={response} />
          </Section>
        </div>
        <div class="stack far rail">
          <WhatNow
            response={response}
            intent={intent}
            keyId={detail.keyId}
            agent={detail.keyName ?? detail.keyId}
            isTaken={detail.redemption !== undefined}
            isSuspect={isSuspect}
          >
            <Became detail={detail} />
          </WhatNow>
          <DecisionFacts detail={detail} intent={intent} revision={revision} />
        </div>
        <div class="stack far rail-main">
          {response.facts !== undefined && (
            <RecordCard
              readings={response.facts}
              intent={intent}
              documents={documents}
              atMs={Date.parse(detail.timestamp)}
            />
          )}
          <ReceiptCard detail={detail}>
            <details class="no-print">
              <summary>Intent and response as JSON</summary>
              {(['intent', 'response'] as const).map((what) => (
                <div key={what} class="command">
                  <pre>
                    <RevealedText text={revealedJson(detail[what])} areLinesKept />
                  </pre>
                  <CopyButton text={JSON.stringify(detail[what], null, 2)} what={`the ${what}`} />
                </div>
              ))}
            </details>
          </ReceiptCard>
          {intent.objectRef !== undefined && <Others detail={detail} intent={intent} />}
        </div>
      </div>
    </>
  );
}

const NO_DOCUMENTS: readonly never[] = [];
const LOOKED_THROUGH = '50';

function Others({ detail, intent }: { readonly detail: DecisionDetail; readonly intent: WriteIntent }) {
  const { system, objectType, objectRef = '' } = intent;
  const { value, failure, reload } = useLoad(`object ${JSON.stringify([system, objectRef])}`, (signal) =>
    listDecisions({ system, objectRef, limit: LOOKED_THROUGH }, signal),
  );
  const others = value?.decisions.filter(
    (row) => row.decision_id !== detail.decision_id && row.objectType === (objectType ?? null),
  );
  return (
    <SameObject
      system={system}
      objectRef={objectRef}
      decisions={others ?? null}
      areMore={value?.nextCursor != null}
      failure={failure}
      onRetry={reload}
    />
  );
}

const WHY = { allow: 'Why it was allowed', pause: 'Why it was paused', block: 'Why it was blocked' } as const;

/** The service shortens long values from their beginning, which may cut the difference away. */
function reasonOf(response: DecisionResponse, { agentValue, authorityValue }: WriteIntent): string {
  const { reason, reason_code: code } = response;
  if (code !== 'authority_mismatch' || agentValue === undefined || authorityValue === undefined)
    return plainReason(reason);
  const { left, right } = cutAround(agentValue, authorityValue);
  const areTwins = areLookAlikes(agentValue, authorityValue);
  if (!areTwins && left === agentValue && right === authorityValue) return reason;
  const [was, is] = [right, left].map(quoted);
  const how = areTwins ? 'looks like, and is not,' : 'differs from';
  return `The proposed value ${is} ${how} ${was}, the value in the source of record.`;
}
