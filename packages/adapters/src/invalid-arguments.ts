/** Thrown by a mapping for a mistake that the model made and can correct. */

/** Its message is shown to the model, so it must hold nothing but what the arguments lack. */
export class InvalidArguments extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidArguments';
  }
}
