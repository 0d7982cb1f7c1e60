/** Where a decision's requirements come from: bundle, profile and promotions. */
import type { DecisionResponse } from '@writecheck/contract';
import { Fact } from '../fact.tsx';
import { Moment } from '../moment.tsx';
import { CallerText } from '../text.tsx';

export function Provenance({ response }: { readonly response: DecisionResponse }) {
  const { profileProvenance: profile, requirementProvenance } = response;
  const promotions = requirementProvenance.filter(({ diagnosePromotion }) => diagnosePromotion !== undefined);
  return (
    <details class="small-text">
      <summary>Reason code, and where the requirements come from</summary>
      <dl class="facts">
        <Fact name="Reason code">
          <code>{response.reason_code}</code>
        </Fact>
        <Fact name="Requirements">{SOURCES[profile.source]}</Fact>
        {profile.controlPackId !== undefined && (
          <Fact name="Control pack">
            <CallerText text={profile.controlPackId} />
          </Fact>
        )}
        <Fact name="Mode">
          <code>{response.writePolicy}</code>{' '}
          <span class="quiet small-text">{response.enforced ? 'enforced' : 'observe only'}</span>
        </Fact>
        {promotions.map(({ controlId, diagnosePromotion: from }) => (
          <Fact
            key={controlId}
            name={
              <>
                Promoted: <CallerText text={controlId} />
              </>
            }
          >
            <CallerText
              text={[from?.source, from?.assessmentRef, from?.runRef, from?.status]
                .filter(Boolean)
                .join(' · ')}
            />
            {from?.promotedBy !== undefined && (
              <>
                {' '}
                by <CallerText text={from.promotedBy} />
              </>
            )}
            {from?.promotedAt !== undefined && (
              <>
                {' '}
                on <Moment at={from.promotedAt} />
              </>
            )}
          </Fact>
        ))}
      </dl>
    </details>
  );
}

const SOURCES: { readonly [source in DecisionResponse['profileProvenance']['source']]: string } = {
  match: 'a profile matches this write',
  workflow: 'the workflow’s',
  request: 'the request named its controls',
  default: 'workspace default',
};
