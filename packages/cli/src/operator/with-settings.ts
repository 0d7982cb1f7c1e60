/** Options that several commands share. */
import { type Config, SETTINGS, type Setting } from '@writecheck/service/support/config/settings';
import type { Command } from 'commander';

export const WORKSPACE = ['--workspace <id>', 'id of the workspace; optional if there is only one'] as const;

/** Each setting of the service as a flag, with its variable and default in the help. */
export function withSettings(command: Command, names: readonly (keyof Config)[]): Command {
  for (const name of names) {
    const { flag, placeholder, help, variable, fallbackShown } = SETTINGS[name] as Setting<unknown>;
    command.option(`${flag} <${placeholder}>`, `${help} [${variable}, default ${fallbackShown}]`);
  }
  return command;
}
