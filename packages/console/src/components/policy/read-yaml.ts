/** Parses policy YAML as the service does, and prints documents as a person would write them. */
import { parsePolicyYaml } from '@writecheck/engine/policy-yaml';
import { stringify } from 'yaml';

const START = { line: 1, column: 1 };

/** Uses the service's parser. An error without a position is shown at the start. */
export function readYaml(text: string) {
  const read = parsePolicyYaml(text);
  if (read.kind === 'faults') return read;
  return { ...read, placeOf: (index: number, pointer: string) => read.placeOf(index, pointer) ?? START };
}

const KINDS = ['Defaults', 'ControlPack', 'Profile', 'Workflow', 'Limit', 'EvidenceSource', 'PolicyTest'];
const MEMBERS = (
  'kind id version controlPack match absent when require authority compare profiles writePolicy observeUntil ' +
  'by sum max per beyond unmatched controls keys now intent expect'
).split(' ');

interface AnyDocument {
  readonly kind: string;
  readonly id?: string;
}

/** Prints documents grouped by kind. */
export function printDocuments(documents: readonly AnyDocument[]): string {
  const rank = ({ kind }: AnyDocument) => KINDS.indexOf(kind);
  return [...documents]
    .sort((a, b) => rank(a) - rank(b))
    .map(printDocument)
    .join('---\n');
}

export function printDocument(document: AnyDocument): string {
  const place = (name: string) => (MEMBERS.includes(name) ? MEMBERS.indexOf(name) : MEMBERS.length);
  const members = Object.entries(document).sort(([a], [b]) => place(a) - place(b));
  return stringify(Object.fromEntries(members), { lineWidth: 100, aliasDuplicateObjects: false });
}
