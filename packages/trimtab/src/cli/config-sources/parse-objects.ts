import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { AnyObject } from '../../core/injection/pod-template-of.ts';
import { parseManifest } from '../../core/manifest/parse-manifest.ts';

/** Parses the objects of a manifest. Throws a usage error, which shows no content. */
export function parseObjects(text: string): AnyObject[] {
  const parsed = parseManifest(text);
  if ('problem' in parsed) throw new OperationalError(errors.ConfigInvalid, parsed.problem);
  return parsed.objects as AnyObject[];
}
