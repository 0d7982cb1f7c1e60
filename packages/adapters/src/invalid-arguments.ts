/** Thrown by a mapping for a mistake that the model made and can correct. */

/** Its message is shown to the model, so it must hold nothing but what the arguments lack. */
export class InvalidArguments extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidArguments';
  }
}

/** By name: each entry of the built package has a class of its own. */
export function isInvalidArguments(error: unknown): error is InvalidArguments {
  return error instanceof Error && error.name === 'InvalidArguments';
}
