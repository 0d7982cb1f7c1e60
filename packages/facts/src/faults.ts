/** Reads members of the configuration, and collects every error with its place and fix. */
import { pointerTo, shown } from '@writecheck/contract';

export type Members = Readonly<Record<string, unknown>>;

export class Faults {
  readonly list: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  /** The variables whose values are secrets of the reader. */
  readonly secretNames = new Set<string>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  add(at: string, message: string): undefined {
    this.list.push(`${at === '' ? 'the file' : at}: ${message}`);
  }

  /** An object with no other members than these. */
  object(value: unknown, at: string, known: readonly string[]): Members | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.add(at, `must be an object with ${known.join(', ')}`);
    for (const member of Object.keys(value)) {
      if (!known.includes(member))
        this.add(pointerTo(at, member), `is unknown; remove it, or use one of ${known.join(', ')}`);
    }
    return value as Members;
  }

  text(value: unknown, at: string, what: string): string | undefined {
    if (typeof value === 'string' && value !== '') return value;
    return this.add(at, value === undefined ? `is missing; give ${what}` : `must be text: ${what}`);
  }

  /** A text, or `env:NAME` for a variable of the environment. The value is never repeated in a message. */
  setting(value: unknown, at: string, what: string, isSecret = false): string | undefined {
    const text = this.text(value, at, `${what}, or env:NAME`);
    if (text === undefined || !text.startsWith('env:')) return text;
    return this.variable(text.slice('env:'.length), at, isSecret);
  }

  variable(name: string, at: string, isSecret: boolean): string | undefined {
    if (isSecret) this.secretNames.add(name);
    const value = this.#env[name];
    if (value !== undefined && value !== '') return value;
    return this.add(at, `the environment has no \`${shown(name)}\`; set it before the reader starts`);
  }

  flag(value: unknown, at: string): boolean {
    if (value !== undefined && typeof value !== 'boolean') this.add(at, 'must be true or false');
    return value === true;
  }
}
