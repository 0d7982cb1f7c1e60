/** A made-up decision on the landing page, so that a newcomer sees what they will get. */

import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Fact } from '../../components/fact.tsx';

export function ExampleAnswer() {
  return (
    <figure class="card example" aria-labelledby="example">
      <figcaption id="example" class="quiet small-text">
        Example of a decision
      </figcaption>
      <p class="row">
        <DecisionBadge decision="pause" /> <strong>Change the IBAN of vendor V-2077</strong>
      </p>
      <dl class="facts">
        <Fact name="The agent writes">
          <code>DE89 3704 0044 0532 0130 00</code>
        </Fact>
        <Fact name="Agent">ap-bot</Fact>
        <Fact name="Amount">148,250.00 EUR</Fact>
      </dl>
      <ul class="example-checks">
        <li class="allow">
          <span>identity</span> checked by okta, 4 min ago
        </li>
        <li class="allow">
          <span>authority</span> vendor-master has the same value
        </li>
        <li class="pause">
          <span>approval</span> a reviewer must approve
        </li>
      </ul>
      <p class="quiet small-text">Recorded in a signed log before the agent got the response.</p>
    </figure>
  );
}
