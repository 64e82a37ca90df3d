import type { App, Fate } from './simulated-app.ts';

const fates = new Set<string>([
  'works',
  'starts',
  'unready',
  'crash-loop',
  'crash-once',
  'fail',
  'config-error',
  'image-error',
]);

/**
 * Fares as its config says: `{ pods: 'crash-loop' }` is for all pods that run with it, `{ worker: 'unready' }` for
 * those labelled `app: worker`. Without a word it works.
 */
export const obedientApp: App = (data, { metadata }) => {
  const word = data[metadata.labels?.['app'] ?? ''] ?? data['pods'] ?? 'works';
  if (!isFate(word)) throw new TypeError(`no pod can fare like this: ${word}`);
  return word;
};

function isFate(word: string): word is Extract<Fate, string> {
  return fates.has(word);
}
