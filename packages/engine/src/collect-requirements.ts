/** Collects the controls that must be satisfied, each once, with every source that requires it. */
import type { DiagnosePromotion } from '@writecheck/contract';
import type { Control, RequiredControl } from './policy/snapshot.ts';

/** A control that must be satisfied, with every source that requires it. */
export interface ResolvedRequirement {
  readonly control: Control;
  readonly sources: string[];
  promotedFrom: DiagnosePromotion | null;
}

/** A map finds requirements once there are this many: searching the list would take quadratic time. */
const MAP_FROM = 16;

export class Requirements {
  readonly list: ResolvedRequirement[] = [];
  #byId: Map<string, ResolvedRequirement> | null = null;

  add(control: Control, source: string, promotedFrom: DiagnosePromotion | null): void {
    const known = this.#find(control.id);
    if (known === undefined) {
      const requirement = { control, sources: [source], promotedFrom };
      this.list.push(requirement);
      if (this.#byId !== null) this.#byId.set(control.id, requirement);
      else if (this.list.length === MAP_FROM)
        this.#byId = new Map(this.list.map((one) => [one.control.id, one]));
      return;
    }
    if (!known.sources.includes(source)) known.sources.push(source);
    known.promotedFrom ??= promotedFrom;
  }

  addAll(required: readonly RequiredControl[], source: string): void {
    for (let index = 0; index < required.length; index += 1) {
      const { control, promotedFrom } = required[index]!;
      this.add(control, source, promotedFrom);
    }
  }

  #find(controlId: string): ResolvedRequirement | undefined {
    if (this.#byId !== null) return this.#byId.get(controlId);
    for (let index = 0; index < this.list.length; index += 1) {
      const requirement = this.list[index]!;
      if (requirement.control.id === controlId) return requirement;
    }
    return undefined;
  }
}
