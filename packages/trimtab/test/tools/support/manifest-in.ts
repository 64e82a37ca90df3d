import { parseAllDocuments } from 'yaml';
import { guideSteps } from '../../support/guide-blocks.ts';

/** The objects of a manifest that a guide shows; of the first one, if it shows several with this name. */
export function manifestIn<T>(guide: string, file: string): T[] {
  const found = guideSteps(guide).find((step) => 'file' in step && step.file === file);
  if (found === undefined || !('file' in found)) throw new Error(`${guide} shows no ${file}`);
  return parseAllDocuments(found.text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as T;
  });
}
