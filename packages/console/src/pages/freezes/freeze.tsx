/** One freeze: what it stops, who froze and lifted it, and every write it stopped. */

import type { Freeze as FreezeOf } from '@writecheck/api';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { readFreeze } from '../../calls/freezes.ts';
import { useAgents } from '../../components/agent/use-agents.ts';
import { ClockNote } from '../../components/clock-note.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Fact } from '../../components/fact.tsx';
import { matcherOf } from '../../components/freeze/scope-matcher.ts';
import { alsoInWords, scopeInWords } from '../../components/freeze/scope-words.ts';
import { SinceThen } from '../../components/freeze/since-then.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, Loaded, PageHead, Section } from '../../components/page.tsx';
import { CallerText, Told } from '../../components/text.tsx';
import { useNames } from '../../components/use-names.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useEvery, useLoad } from '../../use-load.ts';
import type { PageProps } from '../page.ts';
import { FrozenFacts } from './freeze-card.tsx';
import { LiftDialog } from './lift-dialog.tsx';
import { LiftedBy } from './who.tsx';

const LIVE_EVERY_MS = 5_000;

export default function Freeze({ params }: PageProps) {
  const id = params.id!;
  const load = useLoad(id, (signal) => readFreeze(id, signal));
  useEvery(LIVE_EVERY_MS, load.value?.freeze.liftedAt === null && !load.isLoading, load.reload);
  return (
    <div class="page">
      <p class="back">
        <a href={href('/freezes')}>Freezes</a>
      </p>
      <ClockNote />
      {load.value === null && <h1>Freeze</h1>}
      <Loaded load={load} lines={10}>
        {({ freeze }) => <Shown freeze={freeze} onChange={load.reload} />}
      </Loaded>
    </div>
  );
}

function Shown({ freeze, onChange }: { readonly freeze: FreezeOf; readonly onChange: () => void }) {
  const agents = useAgents();
  const names = useNames();
  const mayLift = useRight('liftFreeze');
  const [isLifting, setIsLifting] = useState(false);
  const { liftedAt, liftedBy, liftReason } = freeze;
  const isActive = liftedAt === null;
  return (
    <>
      <PageHead
        title={
          <>
            {isActive && <span class="chip frozen">frozen</span>}{' '}
            <Told text={scopeInWords(freeze.scope, agents)} />
          </>
        }
      >
        {mayLift && isActive && (
          <button type="button" class="primary" onClick={() => setIsLifting(true)}>
            Lift the freeze …
          </button>
        )}
      </PageHead>
      <Section title="Reason">
        <p>
          <CallerText text={freeze.reason} />
        </p>
        {alsoInWords(freeze.scope) !== null && <p class="quiet small-text">{alsoInWords(freeze.scope)}</p>}
        <dl class="facts">
          <FrozenFacts freeze={freeze} names={names} />
          {!isActive && (
            <Fact name="Lifted">
              <Moment at={liftedAt} as="full" />{' '}
              <span class="quiet small-text">
                <LiftedBy by={liftedBy} names={names} />
              </span>
              {liftedBy !== null && liftReason !== null && (
                <span class="line">
                  <CallerText text={liftReason} />
                </span>
              )}
            </Fact>
          )}
          <Fact name="Freeze ID">
            <code>{freeze.id}</code> <CopyButton text={freeze.id} what="the freeze ID" />
          </Fact>
        </dl>
        <SinceThen freeze={freeze} />
      </Section>
      <StoppedWrites freeze={freeze} />
      {isLifting && (
        <LiftDialog
          freezes={[freeze]}
          onDone={() => {
            setIsLifting(false);
            onChange();
          }}
          onCancel={() => setIsLifting(false)}
        />
      )}
    </>
  );
}

function StoppedWrites({ freeze }: { readonly freeze: FreezeOf }) {
  const { id, createdAt, liftedAt } = freeze;
  const queryNow = useCallback(
    () => ({ reason_code: 'frozen', from: createdAt, ...(liftedAt && { to: liftedAt }) }),
    [createdAt, liftedAt],
  );
  const pages = useDecisionPages(`${id} ${liftedAt}`, queryNow, liftedAt === null);
  // Another freeze may have stopped the rest.
  const rows = useMemo(() => pages.rows?.filter(matcherOf(freeze.scope)) ?? null, [pages.rows, id]);
  return (
    <Section kind="stack" title="Stopped checks">
      <ErrorNote failure={pages.failure} onRetry={pages.reload} readAt={pages.readAt} />
      <DecisionTable
        pages={{ ...pages, rows }}
        caption="Checks that the freeze stopped, newest first"
        hasOutcome={false}
        empty={
          <Empty title={`Nothing stopped${liftedAt === null ? ' yet' : ''}`}>
            No matching check {liftedAt === null ? 'arrived' : 'arrived meanwhile'}.
          </Empty>
        }
      />
    </Section>
  );
}
