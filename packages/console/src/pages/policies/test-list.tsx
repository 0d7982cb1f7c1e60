/** The tests of the bundle: failing ones first, each with the reason and a way to try it. */
import { plainReason } from '../../components/decision/plain-reason.ts';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import { Section } from '../../components/page.tsx';
import type { TestResult } from '../../components/policy/examine-policies.ts';
import { Told } from '../../components/text.tsx';
import { go } from '../../state/route.ts';
import { triedIntent } from '../../state/tried-intent.ts';

export function Tests({
  tests,
  isOutdated,
  onGo,
}: {
  readonly tests: readonly TestResult[];
  /** Whether they are of an earlier text, because this one is invalid. */
  readonly isOutdated: boolean;
  readonly onGo: (line: number) => void;
}) {
  if (tests.length === 0)
    return (
      <Section title="Tests">
        <p class="quiet">
          None. Add a document of kind <code>PolicyTest</code>; it must pass before you can apply.
        </p>
      </Section>
    );
  const failed = tests.filter(({ faults }) => faults.length > 0);
  const tryIt = (test: TestResult) => {
    triedIntent.set(test.intent);
    go('/playground', { from: 'test' });
  };
  return (
    <section class="card" aria-labelledby="tests">
      <div class="row">
        <h2 id="tests">Tests</h2>
        <span class={`verdict ${failed.length === 0 ? 'allow' : 'block'}`} role="status">
          <DecisionGlyph decision={failed.length === 0 ? 'allow' : 'block'} />
          {failed.length === 0
            ? tests.length === 1
              ? '1 test passes'
              : `all ${tests.length} pass`
            : `${failed.length} of ${tests.length} ${failed.length === 1 ? 'fails' : 'fail'}`}
        </span>
      </div>
      {isOutdated && <p class="quiet small-text">Of the last text without errors.</p>}
      <ul class="checks">
        {[...failed, ...tests.filter((test) => !failed.includes(test))].map((test) => (
          <li key={test.id} class={test.faults.length === 0 ? 'allow' : 'block'}>
            <span class="check-mark">
              <DecisionGlyph decision={test.faults.length === 0 ? 'allow' : 'block'} />
            </span>
            <span>
              <button type="button" class="plain small go-to" onClick={() => onGo(test.line)}>
                {test.id}
                <span class="hidden">, line {test.line}</span>
              </button>
              {test.faults.map((fault) => (
                <span key={fault} class="fault-line">
                  <Told text={fault} />
                </span>
              ))}
              {test.faults.length > 0 && (
                <>
                  {test.why !== null && (
                    <span class="fault-line quiet">
                      Why: <Told text={plainReason(test.why)} />
                    </span>
                  )}
                  <button type="button" class="small" onClick={() => tryIt(test)}>
                    Open in playground<span class="hidden">: {test.id}</span>
                  </button>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
