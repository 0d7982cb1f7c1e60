/** Checks that this Node can run the service: an older one would die silently inside the database driver. */

const LEAST_MAJOR = 24;

/** Null if the version is new enough. */
export function refuseNodeVersion(version: string): string | null {
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  if (major >= LEAST_MAJOR) return null;
  return `writecheck needs Node ${LEAST_MAJOR} or newer, and this is ${version}; install a newer one and start again`;
}
