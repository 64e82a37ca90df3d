import { findVersions, nextVersion, places, refused, type Stamped } from './stamp-text.ts';

/** Checks that the text has the key, with numbers that can be stamped. */
export function checkText(text: string, key: string): Stamped {
  const { values, problems } = findVersions(text, key);
  if (problems.length > 0) return refused(text, problems);
  const { highest } = nextVersion(values, 0);
  const found = values.length;
  return { text, changed: false, found, problems, summary: `${key} ${highest}${places(found)}` };
}
