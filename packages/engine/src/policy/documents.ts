/** The documents of a bundle, as plain data after validation; their shapes define them. */
import type { TypeOf } from './build-shape.ts';
import type { CONTROL } from './control-shapes.ts';
import type { DOCUMENT_SHAPES } from './document-shapes.ts';
import type { AUTHORITY, PATTERN, REQUIREMENT } from './profile-shapes.ts';
import type { PUBLIC_JWK } from './public-jwk.ts';
import type { REVIEW_SETTINGS } from './review-shapes.ts';

type Documents = { readonly [Kind in keyof typeof DOCUMENT_SHAPES]: TypeOf<(typeof DOCUMENT_SHAPES)[Kind]> };

export type PolicyDocument = Documents[keyof Documents];
export type ProfileDocument = Documents['Profile'];
export type WorkflowDocument = Documents['Workflow'];
export type LimitDocument = Documents['Limit'];
export type DefaultsDocument = Documents['Defaults'];
export type EvidenceSourceDocument = Documents['EvidenceSource'];
export type PolicyTestDocument = Documents['PolicyTest'];

export type ControlDefinition = TypeOf<typeof CONTROL>;
/** How a person may satisfy a control. */
export type ReviewSettings = TypeOf<typeof REVIEW_SETTINGS>;
/** Exact, a glob with `*`, or a list of these; ASCII case is ignored. */
export type Pattern = TypeOf<typeof PATTERN>;
export type Match = NonNullable<ProfileDocument['match']>;
export type Requirement = TypeOf<typeof REQUIREMENT>;
export type AuthorityRequirement = TypeOf<typeof AUTHORITY>;
export type Comparator = NonNullable<ProfileDocument['compare']>;
/** An Ed25519 (OKP) or P-256 (EC) public key. */
export type PublicJwk = TypeOf<typeof PUBLIC_JWK>;
