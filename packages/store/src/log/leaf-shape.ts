/** Tells what a leaf is by its bytes: most leaves that a reader passes need not be parsed. */

/** The members of a leaf are sorted, so the leaf of a decision begins like this, and no other. A leaf is ASCII. */
const DECISION_START = Buffer.from('{"audit_id":');

export function isDecisionLeaf(leaf: Uint8Array): boolean {
  return DECISION_START.equals(leaf.subarray(0, DECISION_START.length));
}

/** Whether a leaf is of this workspace: every entry that names its workspace names it last. */
export function isOfWorkspace(workspace: string): (leaf: Uint8Array) => boolean {
  const ending = Buffer.from(`"workspace":"${workspace}"}`);
  return (leaf) => ending.equals(leaf.subarray(Math.max(0, leaf.length - ending.length)));
}
