/** A first check, as a command to paste and as a button, with its response explained. */
import type { DecisionResponse, WriteIntent } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/page.tsx';
import { Told } from '../../components/text.tsx';
import { DecisionPicture } from '../../picture/decision-picture.tsx';
import { fromResponse, pictureOf } from '../../picture/picture.ts';
import { href } from '../../state/route.ts';
import { useAct } from '../../use-act.ts';
import { explainAnswer } from './explain-answer.ts';

const IDENTITY = { controlId: 'identity', source: 'okta', result: 'PASS' };
const APPROVAL = { controlId: 'approval', source: 'service-desk', result: 'PASS' };

function intentWith(evidence: WriteIntent['controlEvidence'] & object): WriteIntent {
  return {
    system: 'crm',
    objectType: 'customer',
    objectRef: 'C-1001',
    field: 'email',
    agentValue: 'ada@example.com',
    requiredControls: ['identity', 'approval'],
    controlEvidence: evidence,
  };
}

const COMPLETE = intentWith([IDENTITY, APPROVAL]);
const UNAPPROVED = intentWith([IDENTITY]);

type Answer = { readonly intent: WriteIntent; readonly response: DecisionResponse };

export function FirstCheck({ developmentKey }: { readonly developmentKey: string }) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const { isBusy, failure, act } = useAct();
  const command = curl(developmentKey, COMPLETE);

  const ask = (intent: WriteIntent) => {
    const sent = call('POST /v1/check-write', { key: developmentKey, json: intent });
    return act(sent, (response) => setAnswer({ intent, response }));
  };

  return (
    <Section title="Send your first check">
      <p>
        An agent wants to change the e-mail address of customer <code>C-1001</code>. It must prove identity
        and approval, and has evidence for both.
      </p>
      <div class="command">
        <pre>{command}</pre>
        <CopyButton text={command} what="command" />
      </div>
      <div class="row">
        <button type="button" disabled={isBusy} onClick={() => ask(COMPLETE)}>
          Run it here
        </button>
        <button type="button" disabled={isBusy} onClick={() => ask(UNAPPROVED)}>
          Run it without approval
        </button>
      </div>
      <ErrorNote failure={failure} />
      <div aria-live="polite">
        {answer !== null && (
          <>
            <p>
              <Told text={explainAnswer(answer.response)} />
            </p>
            <DecisionPicture picture={pictureOf(fromResponse(answer.response), answer.intent)} />
            <p class="quiet small-text">
              Recorded, before the response, as <code>{answer.response.decision_id}</code>.
            </p>
            {answer.response.review !== undefined && (
              <p>
                <a href={href(`/decisions/${answer.response.decision_id}`)}>Show this decision</a> to open a
                review and approve the write yourself.
              </p>
            )}
          </>
        )}
      </div>
    </Section>
  );
}

function curl(key: string, intent: WriteIntent): string {
  const url = new URL('v1/check-write', document.baseURI);
  return `curl -s ${url} \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(intent)}'`;
}
