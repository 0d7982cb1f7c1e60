/** The error of a service that refuses to run: its signing key cannot be used, or its log is not the signed one. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}
