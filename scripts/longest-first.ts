/** Runs the longest test files first, so that none of them runs alone at the end while the other cores wait. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { budgetOf } from './budgets.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Sorts by the last run, or by size if there was none.
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => order(a.project.name, b.project.name) || budgetOf(pathOf(b)) - budgetOf(pathOf(a)),
    );
  }
}

/** One project after the other, in vitest's order. */
function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function pathOf({ moduleId }: TestSpecification): string {
  return relative(process.cwd(), moduleId);
}
