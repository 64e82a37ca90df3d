import { StatusError } from '../answer/status-error.ts';
import type { Caller, Person } from '../request/gateway-request.ts';

/** For everything but a pod's own configs. */
export function requirePerson(caller: Caller): Person {
  if (caller.is === 'person') return caller;
  throw new StatusError(
    403,
    'Forbidden',
    'a pod may read the current version of its own configs, and nothing else',
  );
}
