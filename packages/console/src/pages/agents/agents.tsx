/** All agents: each key that checks, with the share of each outcome. */
import { useEffect } from 'preact/hooks';
import { listKeys } from '../../calls/keys.ts';
import { agentRates } from '../../components/agent/agent-rates.ts';
import { AgentTable } from '../../components/agent/agent-table.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { noteList } from '../../state/last-list.ts';
import { useLoad } from '../../use-load.ts';
import '../../style/pieces.css';
import '../../style/workspace.css';
import '../../style/overview.css';

const DAYS = 7;

export default function Agents() {
  const keys = useLoad('keys', listKeys);
  const rates = useLoad('rates', (signal) => agentRates(DAYS, signal));
  const failure = keys.failure ?? rates.failure;
  useEffect(() => noteList('Agents'), []);
  return (
    <div class="page">
      <div class="lead">
        <h1>Agents</h1>
        <p class="quiet">
          Each key that sends checks, over the last {DAYS} days (UTC). Give every agent its own.
        </p>
      </div>
      {failure !== null && (
        <ErrorNote
          failure={failure}
          onRetry={() => {
            keys.reload();
            rates.reload();
          }}
        />
      )}
      {keys.value === null || rates.value === null ? (
        failure === null && <Skeleton lines={8} />
      ) : (
        <AgentTable rates={rates.value} keys={keys.value.keys} caption={`Agents, last ${DAYS} days`} />
      )}
    </div>
  );
}
