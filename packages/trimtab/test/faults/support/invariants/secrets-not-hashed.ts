import { SecretHashes } from '../../../support/secret-hashes.ts';
import type { Checker } from './checker.ts';

/** A hash of a Secret's content is only on Secrets: whoever may read it elsewhere could guess the content. */
export function secretsNotHashed(): Checker {
  const hashes = new SecretHashes();
  return {
    step({ entry: { kind, key, object }, world }) {
      if (kind !== 'Secret') return held(key, JSON.stringify(object));
      if (!hashes.add(object)) return [];
      return [...world.objects].flatMap(([other, each]) =>
        other.startsWith('Secret/') ? [] : held(other, JSON.stringify(each)),
      );
    },
  };

  function held(key: string, text: string): string[] {
    const what = hashes.in(text);
    return what === undefined ? [] : [`${key} holds a hash of ${what}`];
  }
}
