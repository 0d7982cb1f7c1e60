/** Remembers the newest result of a function, for calls that mostly repeat their last input. */

/** INVARIANT: `make` depends only on its input, and inputs that are `===` are the same. */
export function rememberLast<Input, Output>(make: (input: Input) => Output): (input: Input) => Output {
  let hasLast = false;
  let lastInput: Input;
  let lastOutput: Output;
  return (input) => {
    if (!hasLast || input !== lastInput) {
      lastOutput = make(input);
      lastInput = input;
      hasLast = true;
    }
    return lastOutput;
  };
}
