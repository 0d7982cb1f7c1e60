/** The steps from an empty workspace to one at work; shown until all are done. */
import type { Key } from '@writecheck/api';
import type { Bundle } from '../../calls/policies.ts';
import { listReviews } from '../../calls/reviews.ts';
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
  /** What must have happened before there is anything to do here. */
  readonly after?: string;
}

export function SetUp({ keys, bundle }: { readonly keys: readonly Key[]; readonly bundle: Bundle }) {
  const reviews = useLoad('any approved review', (signal) =>
    listReviews({ state: 'approved', limit: '1' }, signal),
  );
  const checking = keys.filter(isAgent);
  const live = keys.filter(({ kind, revokedAt }) => kind === 'live' && revokedAt === null);
  const steps: readonly Step[] = [
    {
      name: 'Send a first check',
      why: 'See what an agent gets back.',
      path: '/playground',
      action: 'Open the playground',
      isDone: checking.some(({ lastUsedAt }) => lastUsedAt !== null),
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
    {
      name: 'Approve a paused write',
      why: 'Open a review of a paused write, then approve it.',
      path: '/decisions?decision=pause&time=all',
      action: 'See paused writes',
      after: 'After step 1.',
      isDone: (reviews.value?.reviews ?? []).length > 0,
    },
  ];
  if (reviews.value === null && reviews.failure === null) return null;
  const isReachable = ({ after }: Step) => after === undefined || steps[0]!.isDone;
  const next = steps.find(({ isDone }) => !isDone);
  if (next === undefined) return null;
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
        The <DocumentationLink to="tutorial.md">tutorial</DocumentationLink> takes you through all of it.
      </p>
    </Section>
  );
}
