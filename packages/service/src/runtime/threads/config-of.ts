/** The settings of a service that is about to start, or every error in them. */
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { calledAs } from '../../support/called-as.ts';
import { type Flags, loadConfig } from '../../support/config/load-config.ts';
import type { Config } from '../../support/config/settings.ts';

export function configOf(flags: Flags): Config {
  const loaded = loadConfig(process.env, flags);
  if (loaded.kind === 'invalid') {
    throw new CommandFailure(
      listFaults('the service does not start because its settings are invalid:', [
        ...loaded.faults,
        `see \`${calledAs()} serve --help\` for every setting`,
      ]),
    );
  }
  return loaded.config;
}
