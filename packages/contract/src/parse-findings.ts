/** Collects the errors and warnings of a request, so that one response reports all of them. */
import { pointerTo } from './json-pointer.ts';
import { type KnownNames, knownNameMeantBy } from './member-spelling.ts';
import { shortened } from './shown-input.ts';
import { visible } from './visible-text.ts';

export interface Fault {
  /** JSON pointer into the body. */
  readonly pointer: string;
  readonly message: string;
}

export interface Findings {
  readonly versionFaults: Fault[];
  readonly spellingFaults: Fault[];
  readonly otherFaults: Fault[];
  readonly warnings: string[];
}

export function noFindings(): Findings {
  return { versionFaults: [], spellingFaults: [], otherFaults: [], warnings: [] };
}

export function note(findings: Findings, pointer: string, member: string | number, message: string): void {
  findings.otherFaults.push({ pointer: pointerTo(pointer, member), message });
}

/** Control and default-ignorable characters: a name with one can look like a known name, however short. */
const UNSEEN = /[\p{Cc}\p{DI}]/u;

/** Refuses misspelled members and names with unseen characters; ignores other unknown members with one warning. */
export function findUnknownMembers(
  object: object,
  known: KnownNames,
  pointer: string,
  findings: Findings,
): void {
  let ignored = '';
  for (const name of Object.keys(object)) {
    if (known.names.has(name)) continue;
    if (UNSEEN.test(name)) {
      const seen = visible(shortened(name));
      const message = `unknown member \`${seen}\` has a control or invisible character; remove the character or the member`;
      findings.spellingFaults.push({ pointer: pointerTo(pointer, seen), message });
      continue;
    }
    const meant = knownNameMeantBy(name, known);
    if (meant === null) {
      ignored += `${ignored === '' ? '' : ', '}\`${shortened(name)}\``;
    } else {
      const message = `unknown member \`${shortened(name)}\`, did you mean \`${meant}\``;
      findings.spellingFaults.push({ pointer: pointerTo(pointer, name), message });
    }
  }
  if (ignored === '') return;
  findings.warnings.push(
    `unknown members${pointer === '' ? '' : ` of \`${pointer}\``} are ignored: ${ignored}`,
  );
}
