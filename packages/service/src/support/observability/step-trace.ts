/** Receives the steps of a check, if somebody traces it. */

type Attributes = { readonly [name: string]: string | number };

export interface StepTrace {
  /** A step of the running request begins; the result ends it. */
  begin(name: string): (attributes?: Attributes) => void;
  /** Adds attributes to the running request as a whole. */
  note(attributes: Attributes): void;
}
