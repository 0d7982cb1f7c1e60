/** Thrown by a mapping for a mistake of the model that the model can correct. */

/** The model sees its message, so it must contain only what is missing in the arguments. */
export class InvalidArguments extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidArguments';
  }
}

/** Recognized by name: each entry of the built package has its own copy of the class. */
export function isInvalidArguments(error: unknown): error is InvalidArguments {
  return error instanceof Error && error.name === 'InvalidArguments';
}
