/** Why a service does not run: its signing key cannot be used, or its log is not the one that was signed. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused';
}
