import { readFile } from 'node:fs/promises';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';

/**
 * Returns a function that reads the token of the pod for each request, because the kubelet replaces it. The last token is
 * used while the file cannot be read.
 */
export function podToken(path: string): () => Promise<string> {
  let last: string | undefined;
  return async () => {
    try {
      const token = (await readFile(path, 'utf8')).trim();
      if (token !== '') last = token;
    } catch (cause) {
      if (last === undefined)
        throw new OperationalError(errors.CredentialsUnavailable, `The token file ${path} cannot be read.`, {
          cause,
        });
    }
    if (last === undefined)
      throw new OperationalError(errors.CredentialsUnavailable, `The token file ${path} is empty.`);
    return last;
  };
}
