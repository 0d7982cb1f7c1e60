/** One freeze: what it stops, why, who froze and until when, and what it has stopped. */
import type { Freeze } from '@writecheck/api';
import { useAgents } from '../../components/agent/use-agents.ts';
import { Fact } from '../../components/fact.tsx';
import { scopeInWords } from '../../components/freeze/scope-words.ts';
import { Stopped } from '../../components/freeze/since-then.tsx';
import { Moment } from '../../components/moment.tsx';
import type { Names } from '../../components/names-of.ts';
import { CallerText, Told } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { Who } from './who.tsx';

export function FreezeCard({
  freeze,
  names,
  onLift,
}: {
  readonly freeze: Freeze;
  readonly names: Names;
  readonly onLift: (() => void) | undefined;
}) {
  const agents = useAgents();
  return (
    <article class="card freeze-card" aria-labelledby={freeze.id}>
      <div class="row title-row">
        <h3 id={freeze.id}>
          <a href={href(`/freezes/${freeze.id}`)}>
            <Told text={scopeInWords(freeze.scope, agents)} />
          </a>
        </h3>
        {onLift !== undefined && (
          <button type="button" class="small" onClick={onLift}>
            Lift …
          </button>
        )}
      </div>
      <p>
        <CallerText text={freeze.reason} />
      </p>
      <dl class="facts">
        <FrozenFacts freeze={freeze} names={names} />
        <Fact name="Stopped since">
          <Stopped freeze={freeze} />
        </Fact>
      </dl>
    </article>
  );
}

/** Who, since when, and until when. */
export function FrozenFacts({ freeze, names }: { readonly freeze: Freeze; readonly names: Names }) {
  return (
    <>
      <Fact name="Frozen">
        <Moment at={freeze.createdAt} as="ago" />{' '}
        <span class="quiet small-text">
          by <Who by={freeze.createdBy} names={names} />, <Moment at={freeze.createdAt} />
        </span>
      </Fact>
      {freeze.liftedAt === null && (
        <Fact name="Ends">
          {freeze.until === null ? 'when an owner lifts it' : <Moment at={freeze.until} as="full" />}
        </Fact>
      )}
    </>
  );
}
