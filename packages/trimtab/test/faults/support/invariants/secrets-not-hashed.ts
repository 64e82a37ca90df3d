import { SecretHashes } from '../../../support/secret-hashes.ts';
import type { Checker } from './checker.ts';

/** A hash of a Secret's content is only on Secrets: whoever may read it elsewhere could guess the content. */
export function secretsNotHashed(): Checker {
  const hashes = new SecretHashes();
  return {
    step({ entry: { kind, key, object }, world }) {
      if (kind !== 'Secret') return hashes.among({ [key]: JSON.stringify(object) });
      if (!hashes.add(object)) return [];
      return [...world.objects].flatMap(([other, each]) =>
        other.startsWith('Secret/') ? [] : hashes.among({ [other]: JSON.stringify(each) }),
      );
    },
  };
}
