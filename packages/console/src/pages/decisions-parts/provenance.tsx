/** Where a decision's requirements come from: bundle, profile and promotions. */
import type { DecisionResponse } from '@writecheck/contract';
import { BriefCallerText, CallerText } from '../../components/caller-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';

export function Provenance({ response }: { readonly response: DecisionResponse }) {
  const { profileProvenance: profile, requirementProvenance } = response;
  const promotions = requirementProvenance.filter(({ diagnosePromotion }) => diagnosePromotion !== undefined);
  return (
    <section class="card" aria-labelledby="provenance">
      <h2 id="provenance">Provenance</h2>
      <dl class="facts">
        <Fact name="Profile">
          {profile.profileId === undefined ? (
            <span class="quiet">none</span>
          ) : (
            <a href={href('/policies/map', { find: profile.profileId })}>
              <BriefCallerText
                text={`${profile.profileId}${profile.profileVersion === undefined ? '' : `@${profile.profileVersion}`}`}
              />
            </a>
          )}{' '}
          <span class="quiet small-text">{SOURCES[profile.source]}</span>
        </Fact>
        {profile.controlPackId !== undefined && (
          <Fact name="Control pack">
            <CallerText text={profile.controlPackId} />
          </Fact>
        )}
        <Fact name="Bundle">
          {profile.policyRef === undefined ? (
            <span class="quiet">none</span>
          ) : (
            <code>{profile.policyRef}</code>
          )}
        </Fact>
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
    </section>
  );
}

const SOURCES: { readonly [source in DecisionResponse['profileProvenance']['source']]: string } = {
  match: 'matches this write',
  workflow: 'required by the workflow',
  request: 'the request named its controls',
  default: 'workspace default',
};

export function Fact({
  name,
  children,
}: {
  readonly name: preact.ComponentChildren;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
