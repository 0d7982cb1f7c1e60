/** Which writes a freeze stops: everything, or what the fields name; with what that means in words and in recent numbers. */

import type { DecisionSummary } from '@writecheck/api';
import type { FreezeScope } from '@writecheck/contract';
import { useMemo } from 'preact/hooks';
import { listDecisions } from '../../calls/decisions.ts';
import { useLoad } from '../../use-load.ts';
import { useAgents } from '../agent/use-agents.ts';
import { rangeOf } from '../decision/time-range.ts';
import { Choice, NamesField } from '../field.tsx';
import { FieldFault } from '../field-fault.tsx';
import { labelOf } from '../member-labels.ts';
import { Told } from '../text.tsx';
import { matcherOf } from './scope-matcher.ts';
import { alsoInWords, scopeInWords, valuesOf } from './scope-words.ts';

const FIELDS = ['system', 'operation', 'objectType', 'field', 'workflowId'] as const;

/** Enough to name what is at work, in one request. */
const LOOKED_THROUGH = '200';

export function ScopeFields({
  scope,
  isAll,
  fault,
  onScope,
  onAll,
}: {
  readonly scope: FreezeScope;
  readonly isAll: boolean;
  readonly fault: string | null;
  readonly onScope: (scope: FreezeScope) => void;
  readonly onAll: (isAll: boolean) => void;
}) {
  const agents = useAgents();
  // The form works without it: a stop must not wait for a list.
  const { value: lately } = useLoad('lately', (signal) =>
    listDecisions({ lately: rangeOf('24h'), limit: LOOKED_THROUGH }, signal),
  );
  const set = (member: keyof FreezeScope, values: readonly string[]) => {
    const { [member]: _, ...rest } = scope;
    const [only, ...more] = values;
    onScope(only === undefined ? rest : { ...rest, [member]: more.length === 0 ? only : values });
  };
  const rows = lately?.decisions ?? [];
  const [agent = ''] = valuesOf(scope.keyId);
  return (
    <>
      <fieldset class="kinds">
        <legend>What to stop</legend>
        <label class="kind">
          <input type="radio" name="scope" checked={!isAll} onChange={() => onAll(false)} />
          <span>Only some writes</span>
        </label>
        <label class="kind">
          <input type="radio" name="scope" checked={isAll} onChange={() => onAll(true)} />
          <span>Every write of this workspace</span>
        </label>
      </fieldset>
      {!isAll && (
        <fieldset class="scope-fields">
          <legend class="hidden">Which writes</legend>
          {FIELDS.map((member) => (
            <NamesField
              key={member}
              label={labelOf([member])}
              names={valuesOf(scope[member])}
              known={namesIn(rows, member)}
              onNames={(names) => set(member, names)}
            />
          ))}
          <Choice
            label="Agent"
            value={agent}
            options={[...new Map([['', 'any agent'], [agent, agent || 'any agent'], ...agents])]}
            onChange={(value) => set('keyId', value === '' ? [] : [value])}
          />
          <p class="quiet small-text whole-row">
            Empty means any. Use * in a name, such as refund.*, and commas between several.
          </p>
          <div class="whole-row">
            <FieldFault text={fault} />
          </div>
        </fieldset>
      )}
      <Meaning scope={isAll ? {} : scope} isEmpty={!isAll && Object.keys(scope).length === 0} rows={rows} />
    </>
  );
}

function Meaning({
  scope,
  isEmpty,
  rows,
}: {
  readonly scope: FreezeScope;
  readonly isEmpty: boolean;
  readonly rows: readonly DecisionSummary[];
}) {
  const agents = useAgents();
  const matching = useMemo(() => rows.filter(matcherOf(scope)), [rows, JSON.stringify(scope)]);
  if (isEmpty) return <p class="note meaning">Fill in at least one field.</p>;
  const also = alsoInWords(scope);
  return (
    <div class="note note-bad meaning" role="status">
      <p>
        <strong>Stops: </strong>
        <Told text={scopeInWords(scope, agents)} />. {also}
      </p>
      {rows.length > 0 && (
        <p class="small-text">
          {matching.length === 0
            ? `Of the ${rows.length} newest checks of the last 24 hours, it matches none.`
            : `Of the ${rows.length} newest checks of the last 24 hours, it matches ${matching.length}.`}
        </p>
      )}
    </div>
  );
}

function namesIn(rows: readonly DecisionSummary[], member: (typeof FIELDS)[number]): readonly string[] {
  return [...new Set(rows.map((row) => row[member]).filter((name) => name !== null))].sort();
}
