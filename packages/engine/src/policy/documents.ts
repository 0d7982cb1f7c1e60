/** The documents a bundle is made of, as plain data after validation. */
import type { Assurance, DiagnosePromotion, ReviewIdentity, WritePolicy } from '@writecheck/contract';

export type Comparator = 'number' | 'caseless' | 'trimmed' | 'instant';
export const COMPARATORS: readonly Comparator[] = ['number', 'caseless', 'trimmed', 'instant'];

/** How a person may satisfy a control. */
export interface ReviewSettings {
  readonly groups?: readonly string[];
  readonly approvals?: number;
  readonly identity?: ReviewIdentity;
  /** A number with s, m, h or d. */
  readonly expiresIn?: string;
  /** A number with s, m, h or d. */
  readonly holdsFor?: string;
  readonly selfReview?: boolean;
}

export interface ControlDefinition {
  /** A number with s, m, h or d. */
  readonly maxAge?: string;
  readonly sources?: readonly string[];
  readonly assurance?: Assurance;
  readonly use?: 'once';
  readonly bind?: 'object';
  readonly onUnmet?: 'pause' | 'block';
  readonly onFailed?: 'pause' | 'block';
  /** `true` means all defaults. */
  readonly review?: true | ReviewSettings;
  /** Conditions may read what its attestations say about the record. */
  readonly facts?: true;
}

export interface ControlPackDocument {
  readonly kind: 'ControlPack';
  readonly id: string;
  readonly version?: string;
  readonly controls: { readonly [controlId: string]: ControlDefinition };
}

/** Exact, a glob with `*`, or a list of these; ASCII case is ignored. */
export type Pattern = string | readonly string[];

export interface Match {
  readonly system?: Pattern;
  readonly objectType?: Pattern;
  readonly field?: Pattern;
  readonly operation?: Pattern;
}

export type Requirement = string | { readonly control: string; readonly promotedFrom?: DiagnosePromotion };

export type AuthorityRequirement =
  | 'required'
  | {
      readonly required?: boolean;
      readonly sources?: readonly string[];
      readonly attestedBy?: string;
      /** A control with `review`, with which a person may confirm what the gate would pause for. */
      readonly confirmedBy?: string;
    };

export interface ProfileDocument {
  readonly kind: 'Profile';
  readonly id: string;
  readonly version?: string;
  readonly controlPack?: string;
  readonly match?: Match;
  readonly absent?: 'skip';
  /** This kind of write needs nothing of its own. */
  readonly permit?: true;
  /** A condition in the CEL subset. */
  readonly when?: string;
  readonly require?: readonly Requirement[];
  readonly authority?: AuthorityRequirement;
  /** No person's approval counts for two of these controls. */
  readonly different?: readonly string[];
  /** A review of the write must say on whose behalf it is asked. */
  readonly requester?: 'required';
  readonly compare?: Comparator;
  readonly writePolicy?: WritePolicy;
  readonly observeUntil?: string;
}

export interface WorkflowDocument {
  readonly kind: 'Workflow';
  readonly id: string;
  readonly version?: string;
  readonly profiles?: readonly string[];
  readonly require?: readonly Requirement[];
  readonly writePolicy?: WritePolicy;
  readonly observeUntil?: string;
}

export interface LimitDocument {
  readonly kind: 'Limit';
  readonly id: string;
  readonly version?: string;
  readonly match?: Match;
  /** A condition in the CEL subset. */
  readonly when?: string;
  /** Paths, or `key`. */
  readonly by?: readonly string[];
  /** The path of the number that a write draws. */
  readonly sum?: string;
  readonly max: number;
  /** `hour`, `day`, `week`, `month`, or a duration. */
  readonly per: string;
  readonly beyond?: 'pause' | 'block' | { readonly require: readonly string[] };
  readonly writePolicy?: 'observe' | 'enforce';
  readonly observeUntil?: string;
}

export interface DefaultsDocument {
  readonly kind: 'Defaults';
  readonly writePolicy?: WritePolicy;
  readonly observeUntil?: string;
  /** Which intents pause if nothing that enforces applies to them: all, or those that match. */
  readonly unmatched?: 'pause' | { readonly pause: Match };
  /** Members of an AuthZEN request's `context` that become part of the intent. */
  readonly authzenContext?: readonly string[];
}

export interface EvidenceSourceDocument {
  readonly kind: 'EvidenceSource';
  readonly id: string;
  readonly keys: { readonly keys: readonly PublicJwk[] };
}

/** An Ed25519 (OKP) or P-256 (EC) public key. */
export interface PublicJwk {
  readonly kty: 'OKP' | 'EC';
  readonly crv: 'Ed25519' | 'P-256';
  readonly kid: string;
  readonly x: string;
  readonly y?: string;
  readonly alg?: string;
  readonly use?: string;
  readonly key_ops?: readonly string[];
  readonly ext?: boolean;
}

export interface PolicyTestDocument {
  readonly kind: 'PolicyTest';
  readonly id: string;
  /** A write intent or action request as a caller would send it. */
  readonly intent: unknown;
  readonly now: string;
  readonly expect: {
    readonly decision: 'allow' | 'pause' | 'block';
    readonly reason_code?: string;
    readonly codes?: { readonly [controlId: string]: string };
  };
  /** What is drawn of each limit in this intent's group. */
  readonly drawn?: { readonly [limitId: string]: number | string };
}

export type PolicyDocument =
  | ControlPackDocument
  | ProfileDocument
  | WorkflowDocument
  | LimitDocument
  | DefaultsDocument
  | EvidenceSourceDocument
  | PolicyTestDocument;
