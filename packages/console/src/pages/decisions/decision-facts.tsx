/** Who asked, when, and under which policy. */
import type { DecisionDetail } from '@writecheck/api';
import type { WriteIntent } from '@writecheck/contract';
import { CopyButton } from '../../components/copy-button.tsx';
import type { RevisionOf } from '../../components/decision/use-revision.ts';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { BriefCallerText, CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';

export function DecisionFacts({
  detail,
  intent,
  revision,
}: {
  readonly detail: DecisionDetail;
  readonly intent: WriteIntent;
  readonly revision: RevisionOf | null;
}) {
  const maySeeAgents = useRight('listKeys');
  const name = <CallerText text={detail.keyName ?? detail.keyId} />;
  const { policyRef, profileId, profileVersion } = detail.response.profileProvenance;
  return (
    <dl class="facts fact-card card">
      <Fact name="Key">{maySeeAgents ? <a href={href(`/agents/${detail.keyId}`)}>{name}</a> : name}</Fact>
      <Fact name="Decided">
        <Moment at={detail.timestamp} as="full" />{' '}
        <span class="no-print quiet small-text">
          <Moment at={detail.timestamp} as="ago" />
        </span>
      </Fact>
      {intent.runId !== undefined && (
        <Fact name="Run">
          <a href={href('/decisions', { runId: intent.runId, time: 'all' })}>
            <BriefCallerText text={intent.runId} />
          </a>
        </Fact>
      )}
      <Fact name="Policy">
        {policyRef === undefined ? (
          <span class="quiet">none</span>
        ) : revision === null ? (
          <code title={policyRef}>{policyRef.slice(7, 19)}</code>
        ) : (
          <a href={href('/policies/revisions', { show: String(revision.revision) })} title={policyRef}>
            Revision {revision.revision}
          </a>
        )}
        {profileId !== undefined && (
          <>
            {' · '}
            <a href={href('/policies/map', { find: profileId })}>
              <BriefCallerText
                text={`${profileId}${profileVersion === undefined ? '' : `@${profileVersion}`}`}
              />
            </a>
          </>
        )}
      </Fact>
      <Fact name="Decision ID">
        <code>{detail.decision_id}</code> <CopyButton text={detail.decision_id} what="the decision ID" />
      </Fact>
    </dl>
  );
}
