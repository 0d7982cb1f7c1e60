/** A bundle in which one observing profile enforces, with the provenance of its promotion on each requirement. */
import type { DiagnosePromotion } from '@writecheck/contract';
import type { PolicyDocument, ProfileDocument } from '@writecheck/engine';

export function promotedDocuments(
  documents: readonly PolicyDocument[],
  profileId: string,
  promotedFrom: Required<DiagnosePromotion>,
): readonly PolicyDocument[] {
  return documents.map((document) =>
    document.kind === 'Profile' && document.id === profileId ? promoted(document, promotedFrom) : document,
  );
}

function promoted(
  { observeUntil: _, writePolicy: __, require, ...rest }: ProfileDocument,
  promotedFrom: Required<DiagnosePromotion>,
): ProfileDocument {
  const required = require?.map((one) => ({
    control: typeof one === 'string' ? one : one.control,
    promotedFrom,
  }));
  return {
    ...rest,
    ...(required === undefined ? {} : { require: required }),
    writePolicy: 'enforce',
  };
}
