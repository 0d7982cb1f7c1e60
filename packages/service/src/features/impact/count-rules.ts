/** Counts how often each rule of the candidate applied, and how often it decided. */
import type { ImpactReport } from '@writecheck/api';
import type { Outcome, PolicyDocument } from '@writecheck/engine';
import type { RuleCount } from './report.ts';

interface Counter {
  applied: number;
  decided: number;
}

export class CountRules {
  readonly #versions = new Map<string, string | null>();
  readonly #profiles = new Map<string, Counter>();
  readonly #workflows = new Map<string, Counter>();
  /** Those that the candidate defines or requires. */
  readonly #controls = new Map<string, Counter>();

  constructor(documents: readonly PolicyDocument[]) {
    for (const document of documents) {
      if (document.kind === 'ControlPack')
        for (const id of Object.keys(document.controls)) newCounter(this.#controls, id);
      if (document.kind !== 'Profile' && document.kind !== 'Workflow') continue;
      newCounter(document.kind === 'Profile' ? this.#profiles : this.#workflows, document.id);
      if (document.kind === 'Profile') this.#versions.set(document.id, document.version ?? null);
      for (const one of document.require ?? [])
        newCounter(this.#controls, typeof one === 'string' ? one : one.control);
    }
  }

  add({ profiles, workflow, requirements, decidedBy }: Outcome): void {
    for (const { id } of profiles) apply(this.#profiles, id);
    if (workflow !== null) apply(this.#workflows, workflow.id);
    for (const { control } of requirements) apply(this.#controls, control.id);
    if (decidedBy === null) return;
    if (decidedBy.kind === 'authority') {
      for (const { id } of decidedBy.profiles) decide(this.#profiles, id);
      return;
    }
    decide(this.#controls, decidedBy.controlId);
    const deciding = requirements.find(({ control }) => control.id === decidedBy.controlId);
    if (deciding === undefined) return;
    for (const { id, ref } of profiles) if (deciding.sources.includes(ref)) decide(this.#profiles, id);
    if (workflow !== null && deciding.sources.includes(workflow.ref)) decide(this.#workflows, workflow.id);
  }

  get shown(): ImpactReport['rules'] {
    return {
      profiles: byId(this.#profiles).map(([id, counter]) => ({
        id,
        version: this.#versions.get(id) ?? null,
        ...counter,
      })),
      workflows: rules(this.#workflows),
      controls: rules(this.#controls),
    };
  }
}

function newCounter(counters: Map<string, Counter>, id: string): void {
  if (!counters.has(id)) counters.set(id, { applied: 0, decided: 0 });
}

/** A control that only the request requires does not belong to the candidate. */
function apply(counters: ReadonlyMap<string, Counter>, id: string): void {
  const counter = counters.get(id);
  if (counter !== undefined) counter.applied += 1;
}

function decide(counters: ReadonlyMap<string, Counter>, id: string): void {
  const counter = counters.get(id);
  if (counter !== undefined) counter.decided += 1;
}

function byId(counters: ReadonlyMap<string, Counter>): readonly [string, Counter][] {
  return [...counters].sort(([a], [b]) => (a < b ? -1 : 1));
}

function rules(counters: ReadonlyMap<string, Counter>): readonly RuleCount[] {
  return byId(counters).map(([id, counter]) => ({ id, ...counter }));
}
