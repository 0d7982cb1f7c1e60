/** The shape of a change's author. */
import { choice } from './fields.ts';
import { object, text } from './shape.ts';

export const WHO = object({ kind: choice('person', 'owner_key', 'service_key', 'operator'), id: text });
