/** The commands for agent builders, for a program that includes them among its own. */
export { blockUnlessPermitted } from './hook-claude-exit.ts';
export { addAgentCommands } from './program.ts';
