/** Thrown by a mapping for a mistake that the model made and can correct. */

/** The model sees its message, so it must contain nothing except what the arguments lack. */
export class InvalidArguments extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidArguments';
  }
}

/** By name: each entry of the built package has its own copy of the class. */
export function isInvalidArguments(error: unknown): error is InvalidArguments {
  return error instanceof Error && error.name === 'InvalidArguments';
}
