/** The steps from an empty workspace to one at work; shown until all are done. */
import type { Key } from '@writecheck/api';
import { listDecisions } from '../../calls/decisions.ts';
import type { Bundle } from '../../calls/policies.ts';
import { listReviews } from '../../calls/reviews.ts';
import { DemoHint } from '../../components/demo-hint.tsx';
import { DocumentationLink } from '../../components/documentation-link.tsx';
import { isAgent } from '../../components/key-limits.ts';
import { Section } from '../../components/page.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';

interface Step {
  readonly name: string;
  readonly why: string;
  readonly path: string;
  readonly action: string;
  readonly isDone: boolean;
  /** What must happen before there is anything to do here. */
  readonly after?: string;
}

export function SetUp({ keys, bundle }: { readonly keys: readonly Key[]; readonly bundle: Bundle }) {
  const reviews = useLoad('any approved review', (signal) =>
    listReviews({ state: 'approved', limit: '1' }, signal),
  );
  const newest = useLoad('newest paused write', (signal) =>
    listDecisions({ decision: 'pause', limit: '1' }, signal),
  );
  const paused = newest.value?.decisions[0];
  const checking = keys.filter(isAgent);
  const live = keys.filter(({ kind, revokedAt }) => kind === 'live' && revokedAt === null);
  const steps: readonly Step[] = [
    {
      name: 'Send a first check',
      why: 'See what an agent gets back if an approval is missing.',
      path: '/playground?sample=paused',
      action: 'Open the playground',
      isDone: checking.some(({ lastUsedAt }) => lastUsedAt !== null),
    },
    {
      name: 'Approve a paused write',
      why: 'Open a review of it, then approve it as a person would.',
      path: `/decisions/${paused?.decision_id}`,
      action: 'Open it',
      ...(paused === undefined && { after: 'After a check is paused.' }),
      isDone: (reviews.value?.reviews ?? []).length > 0,
    },
    {
      name: 'Apply a policy',
      why: 'Say which writes need which proof.',
      path: '/policies',
      action: 'Start from the example',
      isDone: bundle.revision > 0,
    },
    {
      name: 'Connect an agent',
      why: 'Create a live key and let your agent check with it.',
      path: '/keys',
      action: 'Create a key',
      isDone: live.some(({ lastUsedAt }) => lastUsedAt !== null),
    },
  ];
  if ([reviews, newest].some(({ value, failure }) => value === null && failure === null)) return null;
  const isReachable = ({ after }: Step) => after === undefined;
  const undone = steps.filter(({ isDone }) => !isDone);
  if (undone.length === 0) return null;
  const next = undone.find(isReachable);
  return (
    <Section
      title={
        <>
          Set up{' '}
          <span class="quiet small-text">
            {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
          </span>
        </>
      }
    >
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name} class={step.isDone ? 'is-done' : step === next ? 'is-next' : ''}>
            <span class="step-mark" aria-hidden="true" />
            <span>
              {step.isDone || !isReachable(step) ? step.name : <a href={href(step.path)}>{step.name}</a>}
              {step.isDone && <span class="hidden"> (done)</span>}
              {!step.isDone && (
                <span class="key-line quiet small-text">
                  {!isReachable(step) && `${step.after} `}
                  {step.why}
                </span>
              )}
            </span>
            {step === next && (
              <a class="button primary" href={href(step.path)}>
                {step.action}
              </a>
            )}
          </li>
        ))}
      </ol>
      <p class="small-text">
        The <DocumentationLink to="tutorial.md">tutorial</DocumentationLink> takes you through all of it.{' '}
        <DemoHint />
      </p>
    </Section>
  );
}
