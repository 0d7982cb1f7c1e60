/** The overview's first sentence: writes that were stopped although their value looked right. */
import { areLookAlikes } from '@writecheck/contract';
import { cutAround } from '../../components/cut-around.ts';
import { Moment } from '../../components/moment.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { listDecisions } from '../decisions-parts/decisions-api.ts';
import { keptDetail, readDetails } from '../decisions-parts/details.ts';
import { rangeOf } from '../decisions-parts/time-range.ts';
import { WriteTitle } from '../decisions-parts/write-title.tsx';

/** Each costs a request. */
const READ_MAX = 20;
const SHOWN_MAX = 3;

/** Nothing on a day without any. */
export function LookedRight() {
  const { value } = useLoad('looked right', async (signal) => {
    const listed = await listDecisions(
      { lately: rangeOf('24h'), reason_code: 'authority_mismatch', limit: String(READ_MAX) },
      signal,
    );
    if (listed.kind === 'failure') return listed;
    const { decisions } = listed.value;
    await readDetails(
      decisions.map(({ decision_id }) => decision_id),
      signal,
    );
    const caught = decisions.flatMap((row) => {
      const { agentValue, authorityValue } = keptDetail(row.decision_id)?.intent ?? {};
      if (row.decision === 'allow' || typeof agentValue !== 'string' || typeof authorityValue !== 'string')
        return [];
      return areLookAlikes(agentValue, authorityValue)
        ? [{ row, shown: cutAround(agentValue, authorityValue).left }]
        : [];
    });
    return { ...listed, value: caught };
  });
  if (value === null || value.length === 0) return null;
  return (
    <section class="card caught" aria-labelledby="looked-right">
      <h2 id="looked-right">
        {value.length === 1 ? '1 write was' : `${value.length} writes were`} stopped today that looked right
      </h2>
      <ul class="brief">
        {value.slice(0, SHOWN_MAX).map(({ row, shown }) => (
          <li key={row.decision_id} class="caught-row">
            <a href={href(`/decisions/${row.decision_id}`)}>
              <WriteTitle target={row} isBrief />
            </a>
            <code>
              <RevealedText text={shown} isWary />
            </code>
            <span class="quiet small-text">
              <RevealedText text={row.keyName ?? row.keyId} />, <Moment at={row.timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
