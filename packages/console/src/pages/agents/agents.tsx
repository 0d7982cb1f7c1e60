/** All agents: each key that checks, with the share of each outcome. */
import { useEffect } from 'preact/hooks';
import { listKeys } from '../../calls/keys.ts';
import { agentRates, spanOf } from '../../components/agent/agent-rates.ts';
import { AgentTable } from '../../components/agent/agent-table.tsx';
import { Loaded, PageHead } from '../../components/page.tsx';
import { noteList } from '../../state/last-list.ts';
import { together, useLoad } from '../../use-load.ts';

export default function Agents() {
  const listed = useLoad('keys', listKeys);
  const counted = useLoad('rates', agentRates);
  useEffect(() => noteList('Agents'), []);
  return (
    <div class="page">
      <PageHead title="Agents" lead="Each key that sends checks. Give every agent its own." />
      <Loaded load={together(listed, counted)} lines={8}>
        {([{ keys }, rates]) => (
          <>
            <p class="quiet small-text">{spanOf(rates)}</p>
            <AgentTable rates={rates} keys={keys} />
          </>
        )}
      </Loaded>
    </div>
  );
}
