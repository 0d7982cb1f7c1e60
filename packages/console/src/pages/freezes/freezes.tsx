/** Freezes: what is stopped now, and what was stopped before. */
import type { Freeze } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { useActiveFreezes } from '../../active-freezes.ts';
import { call } from '../../api.ts';
import { useAgents } from '../../components/agent/use-agents.ts';
import { DataTable } from '../../components/data-table.tsx';
import { scopeInWords } from '../../components/freeze/scope-words.ts';
import { Stopped } from '../../components/freeze/since-then.tsx';
import { localHead, Moment } from '../../components/moment.tsx';
import type { Names } from '../../components/names-of.ts';
import { Empty, Loaded, PageHead, Section, Skeleton } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { RevealedText, Told } from '../../components/text.tsx';
import { useCursors } from '../../components/use-cursors.ts';
import { useNames } from '../../components/use-names.ts';
import { freezing } from '../../state/freezing.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { FreezeCard } from './freeze-card.tsx';
import { LiftDialog } from './lift-dialog.tsx';
import { LiftedBy, Who } from './who.tsx';

export default function Freezes() {
  const active = useActiveFreezes();
  const names = useNames();
  const mayFreeze = useRight('createFreeze');
  const mayLift = useRight('liftFreeze');
  const [lifting, setLifting] = useState<readonly [Freeze, ...Freeze[]] | null>(null);
  return (
    <div class="page">
      <PageHead
        title="Freezes"
        lead="A freeze stops matching writes immediately, on every replica. No policy, permit or approval lifts it."
      >
        {mayFreeze && (
          <button type="button" class="primary" onClick={() => freezing.set({})}>
            Freeze writes
          </button>
        )}
      </PageHead>
      <section class="stack" aria-labelledby="active">
        <div class="row">
          <h2 id="active">Active</h2>
          {mayLift &&
            sameAuthor(active ?? []).map((freezes) => (
              <button
                key={freezes[0].createdBy.id}
                type="button"
                class="small"
                onClick={() => setLifting(freezes)}
              >
                Lift all {freezes.length} by <Who by={freezes[0].createdBy} names={names} />
              </button>
            ))}
        </div>
        {active === null ? (
          <Skeleton lines={3} />
        ) : active.length === 0 ? (
          <Empty title="Nothing is frozen">
            {mayFreeze
              ? 'If an agent goes wrong, freeze what it writes first and look for the cause after.'
              : 'Owners, authors and reviewers can freeze writes.'}
          </Empty>
        ) : (
          active.map((freeze) => (
            <FreezeCard
              key={freeze.id}
              freeze={freeze}
              names={names}
              onLift={mayLift ? () => setLifting([freeze]) : undefined}
            />
          ))
        )}
      </section>
      <Past names={names} changed={active?.map(({ id }) => id).join() ?? ''} />
      {lifting !== null && (
        <LiftDialog freezes={lifting} onDone={() => setLifting(null)} onCancel={() => setLifting(null)} />
      )}
    </div>
  );
}

/** Authors with more than one active freeze. */
function sameAuthor(active: readonly Freeze[]): readonly (readonly [Freeze, ...Freeze[]])[] {
  const groups = Map.groupBy(active, ({ createdBy: { kind, id } }) => `${kind} ${id}`);
  return [...groups.values()].filter((group) => group.length > 1) as [Freeze, ...Freeze[]][];
}

/** A page of the list at a time; `changed` names what is active, so that one that ended appears here. */
function Past({ names, changed }: { readonly names: Names; readonly changed: string }) {
  const agents = useAgents();
  const { cursor, number, previous, nextOf } = useCursors();
  const load = useLoad(`freezes ${cursor} ${changed}`, (signal) =>
    call('GET /v1/freezes', { query: { state: 'all', cursor }, signal }),
  );
  const past = load.value?.freezes.filter(({ liftedAt }) => liftedAt !== null) ?? [];
  const next = nextOf(load.value?.nextCursor);
  if (load.value !== null && past.length === 0 && next === null && previous === null) return null;
  return (
    <Section kind="stack" title="Past">
      <Loaded load={load} lines={4}>
        {() => (
          <DataTable
            caption="Past freezes, newest first"
            kind="panel stacks past-freezes"
            rows={past}
            idOf={({ id }) => id}
            columns={[
              {
                head: 'Froze',
                isName: true,
                cell: ({ id, scope, reason }) => (
                  <>
                    <a class="target" href={href(`/freezes/${id}`)}>
                      <Told text={scopeInWords(scope, agents)} />
                    </a>
                    <span class="line quiet small-text">
                      <RevealedText text={reason} />
                    </span>
                  </>
                ),
              },
              {
                head: localHead('From'),
                cell: ({ createdAt, createdBy }) => (
                  <>
                    <Moment at={createdAt} />
                    <span class="line quiet small-text">
                      by <Who by={createdBy} names={names} />
                    </span>
                  </>
                ),
              },
              {
                head: localHead('Lifted'),
                cell: ({ liftedAt, liftedBy, liftReason }) => (
                  <>
                    {liftedAt !== null && <Moment at={liftedAt} />}
                    <span class="line quiet small-text">
                      <LiftedBy by={liftedBy} names={names} />
                    </span>
                    {liftedBy !== null && liftReason !== null && (
                      <span class="line quiet small-text">
                        <RevealedText text={liftReason} />
                      </span>
                    )}
                  </>
                ),
              },
              {
                head: 'Stopped',
                kind: 'small-text',
                cell: (freeze) => <Stopped freeze={freeze} />,
              },
            ]}
          />
        )}
      </Loaded>
      <Pager previous={previous} next={next}>
        Page {number}
      </Pager>
    </Section>
  );
}
