import { StatusError } from '../answer/status-error.ts';
import type { Caller, Person } from '../request/gateway-request.ts';

/** Refuses pods, which may only read the current version of their own configs. */
export function requirePerson(caller: Caller): Person {
  if (caller.is === 'person') return caller;
  throw new StatusError(
    403,
    'Forbidden',
    'a pod token may only read the current version of the configs that the pod references',
  );
}
