/** The commands for those who build agents, for a program that offers them among its own. */
export { blockUnlessPermitted } from './hook-claude-exit.ts';
export { addAgentCommands } from './program.ts';
