/** The exit code of a hook: every end of the process blocks the tool, unless the hook permitted it. */

/** Claude Code treats every code except 0 and 2 as a broken hook, and then runs the tool. */
const BLOCKING_EXIT_CODE = 2;

let permitted = false;

/** Called before anything that could fail is loaded. */
export function blockUnlessPermitted(): void {
  // INVARIANT: exit code 0 needs `permit`; an exception, a wrong flag or an old Node ends in 2.
  process.on('exit', () => {
    process.exitCode = permitted ? 0 : BLOCKING_EXIT_CODE;
  });
  // A signal without a handler would end the process, but not with exit code 2.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(BLOCKING_EXIT_CODE));
  }
}

export function permit(): void {
  permitted = true;
}
