/** Policy documents between their text and their values: read as the service reads them, printed as a person would write them. */
import { parsePolicyYaml } from '@writecheck/engine/policy-yaml';
import { stringify } from 'yaml';

export interface PlacedFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const START = { line: 1, column: 1 };

/** The service's own reading; what has no place in the text is shown at its start. */
export function readYaml(text: string) {
  const read = parsePolicyYaml(text);
  if (read.kind === 'faults') return read;
  return { ...read, placeOf: (index: number, pointer: string) => read.placeOf(index, pointer) ?? START };
}

const KINDS = ['Defaults', 'ControlPack', 'Profile', 'Workflow', 'EvidenceSource', 'PolicyTest'];
const MEMBERS = (
  'kind id version controlPack match absent when require authority compare profiles writePolicy observeUntil ' +
  'unmatched controls keys now intent expect'
).split(' ');

interface AnyDocument {
  readonly kind: string;
  readonly id?: string;
}

/** Documents as a person would write them: what belongs together stands together. */
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
