import { type FoundValue, findValues, lineOf } from './find-values.ts';
import {
  findVersions,
  isAlias,
  isTemplate,
  nextVersion,
  notFound,
  places,
  refused,
  replaceValues,
  type Stamped,
  type StampOptions,
  type StampProblem,
  templateProblem,
} from './stamp-text.ts';

interface HashOptions extends StampOptions {
  /** The key whose value is the hash of the last stamp. */
  hashKey: string;
  hash: string;
}

/**
 * As `stampText`, but only when the hash differs from the hash in the text. The text keeps the hash under a key of its own,
 * because not every format has comments.
 */
export function stampByHash(text: string, { key, now, hashKey, hash }: HashOptions): Stamped {
  const versions = findVersions(text, key);
  const hashes = findHashes(text, hashKey);
  const problems = [...versions.problems, ...hashes.problems];
  if (problems.length > 0) return refused(text, problems);
  const { highest, next } = nextVersion(versions.values, now);
  const found = versions.values.length;
  if (hashes.values.every((each) => each.text === hash))
    return { text, changed: false, found, problems, summary: `${key} ${highest} is up to date` };
  const replaced = replaceValues(text, hashes.values, hash);
  const stamped = replaceValues(replaced, findVersions(replaced, key).values, String(next));
  const summary = `${key} ${highest} -> ${next}${places(found)}`;
  return { text: stamped, changed: true, found, problems, summary };
}

/** Sets all values of an annotation to a hash. */
export function setHash(text: string, { key, hash }: { key: string; hash: string }): Stamped {
  const { values, problems } = findHashes(text, key);
  if (problems.length > 0) return refused(text, problems);
  const found = values.length;
  if (values.every((each) => each.text === hash))
    return { text, changed: false, found, problems, summary: `${key} is up to date` };
  const summary = `${key} -> ${hash}${places(found)}`;
  return { text: replaceValues(text, values, hash), changed: true, found, problems, summary };
}

function findHashes(text: string, key: string): { values: FoundValue[]; problems: StampProblem[] } {
  const all = findValues(text, key);
  const values = all.filter((each) => !isAlias(each));
  if (values.length === 0) return { values, problems: [notFound(key, '""')] };
  const problems = values.flatMap((each): StampProblem[] => {
    const message = hashProblem(each);
    return message === undefined
      ? []
      : [{ line: lineOf(text, each), message: `the value of ${key} ${message}` }];
  });
  return { values, problems };
}

function hashProblem(value: FoundValue): string | undefined {
  if (isTemplate(value)) return templateProblem;
  if (value.isQuoted || /^[\w.-]+$/.test(value.text)) return undefined;
  return 'is not a string: set it to "", and run the command again';
}
