/** Rules across the documents of a bundle, each of which already has a valid shape. */
import { canBeListed } from '@writecheck/contract';
import { isIdentifier } from '../conditions/parse.ts';
import type { Match, PolicyDocument } from './documents.ts';
import { didYouMean, exactPointerTo, type PolicyFault, quoted } from './faults.ts';
import { globCost, MATCH_MEMBERS } from './match.ts';

/** Globs are evaluated one after another: this many stay within about two milliseconds for any intent. */
const GLOB_COST_MAX = 40_000;

/** Searching for the nearest of many names for each of many errors takes seconds. */
const NAMES_TO_SUGGEST_MAX = 20;

/** The facts of each are looked up and recorded if a condition reads them. */
const FACTS_CONTROLS_MAX = 64;

export interface PlacedDocument {
  readonly documentIndex: number;
  readonly document: PolicyDocument;
}

/** Ids of documents that may be invalid themselves, so that one error does not cause a second one elsewhere. */
export interface KnownIds {
  readonly profiles: ReadonlySet<string>;
  readonly controlPacks: ReadonlySet<string>;
  /** Controls that a pack defines with `review`. */
  readonly reviewable: ReadonlySet<string>;
  readonly permits: ReadonlySet<string>;
  /** Controls that a pack defines with `facts`. */
  readonly facts: ReadonlySet<string>;
}

export function checkBundle(placed: readonly PlacedDocument[], known: KnownIds): readonly PolicyFault[] {
  return [
    ...checkIds(placed),
    ...checkControls(placed),
    ...checkReferences(placed, known),
    ...checkKeyIds(placed),
    ...checkGlobs(placed),
    ...checkListed(placed),
  ];
}

function checkIds(placed: readonly PlacedDocument[]): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  const seen = new Map<string, number>();
  for (const { documentIndex, document } of placed) {
    const id = document.kind === 'Defaults' ? null : document.id;
    const first = seen.get(`${document.kind} ${id}`);
    if (first === undefined) seen.set(`${document.kind} ${id}`, documentIndex);
    else if (id === null) {
      faults.push({
        documentIndex,
        pointer: '',
        message: `a bundle can have only one Defaults, and document ${first + 1} is another; keep one of them`,
      });
    } else {
      const message = `there is another ${document.kind} with the id ${quoted(id)}, document ${first + 1} of the bundle; keep one of them`;
      faults.push({ documentIndex, pointer: '/id', message });
    }
  }
  return faults;
}

function checkControls(placed: readonly PlacedDocument[]): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  const packOf = new Map<string, string>();
  let withFacts = 0;
  for (const { documentIndex, document } of placed) {
    if (document.kind !== 'ControlPack') continue;
    for (const [controlId, { facts }] of Object.entries(document.controls)) {
      if (facts === true && !isIdentifier(controlId))
        faults.push({
          documentIndex,
          pointer: exactPointerTo('/controls', controlId),
          message: `a control with \`facts\` needs an id that conditions can name, of letters, digits and \`_\`, not ${quoted(controlId)}`,
        });
      if (facts === true) withFacts += 1;
      if (facts === true && withFacts === FACTS_CONTROLS_MAX + 1)
        faults.push({
          documentIndex,
          pointer: `${exactPointerTo('/controls', controlId)}/facts`,
          message: `a bundle may contain ${FACTS_CONTROLS_MAX} controls with \`facts\`, and this is one more; let one control sign several facts`,
        });
      const other = packOf.get(controlId);
      if (other === undefined) packOf.set(controlId, document.id);
      else {
        const message = `control ${quoted(controlId)} is defined by the pack ${quoted(other)}; only one pack can define a control`;
        faults.push({ documentIndex, pointer: exactPointerTo('/controls', controlId), message });
      }
    }
  }
  return faults;
}

function checkReferences(placed: readonly PlacedDocument[], known: KnownIds): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  for (const { documentIndex, document } of placed) {
    if (document.kind === 'Profile' && document.controlPack !== undefined) {
      if (!known.controlPacks.has(document.controlPack)) {
        const message = `no ControlPack ${quoted(document.controlPack)} in the bundle`;
        const hint =
          known.controlPacks.size === 0 || known.controlPacks.size > NAMES_TO_SUGGEST_MAX
            ? ''
            : didYouMean(document.controlPack, [...known.controlPacks]);
        faults.push({ documentIndex, pointer: '/controlPack', message: message + hint });
      }
    }
    if (document.kind === 'Profile' && typeof document.authority === 'object') {
      const { attestedBy, confirmedBy } = document.authority;
      if (attestedBy !== undefined && known.facts.has(attestedBy)) {
        const message = `control ${quoted(attestedBy)} has \`facts\`: a signed read says nothing about the write, so it attests no authority`;
        faults.push({ documentIndex, pointer: '/authority/attestedBy', message });
      }
      if (confirmedBy !== undefined && !known.reviewable.has(confirmedBy)) {
        const message = `no ControlPack in the bundle defines ${quoted(confirmedBy)} with \`review\`; add that, so that a person may confirm authority`;
        faults.push({ documentIndex, pointer: '/authority/confirmedBy', message });
      }
    }
    if (document.kind === 'Workflow') {
      document.profiles?.forEach((id, index) => {
        if (known.profiles.has(id) && !known.permits.has(id)) return;
        const message = known.permits.has(id)
          ? `the Profile ${quoted(id)} in the bundle is a permit, which no Workflow may name; it applies by its match alone`
          : `no Profile ${quoted(id)} in the bundle`;
        faults.push({ documentIndex, pointer: `/profiles/${index}`, message });
      });
    }
  }
  return faults;
}

function checkKeyIds(placed: readonly PlacedDocument[]): readonly PolicyFault[] {
  const faults: PolicyFault[] = [];
  for (const { documentIndex, document } of placed) {
    if (document.kind !== 'EvidenceSource') continue;
    const seen = new Set<string>();
    document.keys.keys.forEach(({ kid }, index) => {
      if (seen.has(kid)) {
        const message = `the key id ${quoted(kid)} appears twice: an attestation must name one key`;
        faults.push({ documentIndex, pointer: `/keys/keys/${index}/kid`, message });
      }
      seen.add(kid);
    });
  }
  return faults;
}

function checkGlobs(placed: readonly PlacedDocument[]): readonly PolicyFault[] {
  let cost = 0;
  for (const { documentIndex, document } of placed) {
    const { match, at } = matchOf(document);
    for (const member of MATCH_MEMBERS) {
      const pattern = match[member] ?? [];
      for (const one of typeof pattern === 'string' ? [pattern] : pattern) cost += globCost(one);
      if (cost > GLOB_COST_MAX) {
        const message =
          'a bundle may contain 40,000 globs, and one with text between two `*` counts as 20; write exact names';
        return [{ documentIndex, pointer: `${at}/${member}`, message }];
      }
    }
  }
  return [];
}

/** Listing a name that no request can contain would suggest that conditions can read it. */
function checkListed(placed: readonly PlacedDocument[]): readonly PolicyFault[] {
  return placed.flatMap(({ documentIndex, document }) => {
    const listed = (document.kind === 'Defaults' ? document.authzenContext : undefined) ?? [];
    return listed.flatMap((name, index) => {
      if (canBeListed(name)) return [];
      const message = `${quoted(name)} cannot be listed: it is reserved, or so like a reserved name that requests with it are refused; list other members of \`context\``;
      return [{ documentIndex, pointer: `/authzenContext/${index}`, message }];
    });
  });
}

function matchOf(document: PolicyDocument): { readonly match: Match; readonly at: string } {
  if (document.kind === 'Defaults' && typeof document.unmatched === 'object')
    return { match: document.unmatched.pause, at: '/unmatched/pause' };
  return {
    match: (document.kind === 'Profile' || document.kind === 'Limit' ? document.match : undefined) ?? {},
    at: '/match',
  };
}
