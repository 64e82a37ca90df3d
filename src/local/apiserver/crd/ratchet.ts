import { equal, getKey } from '../object.ts';
import type { Problem } from './problem.ts';

/** Whether a problem is about something that an update leaves as it was: such a thing is let pass. */
export function isUnchanged(problem: Problem, object: unknown, old: unknown): boolean {
  if (old === undefined || problem.field === '') return false;
  // Entries of lists cannot be told apart by their place: the whole list must be the same.
  const keys = (problem.field.split('[')[0] ?? '').split('.');
  // What is missing is a problem of what it should be in.
  if (problem.type === 'Required value' && !problem.field.includes('[')) keys.pop();
  if (keys.length === 0) return false;
  const at = (value: unknown) => keys.reduce<unknown>(getKey, value);
  const [now, before] = [at(object), at(old)];
  return now !== undefined && equal(now, before);
}
