/** The commands for agent builders, for a program that offers them among its own. */
export { blockUnlessPermitted } from './hook-claude-exit.ts';
export { addAgentCommands } from './program.ts';
