import type { App, AppBehaviour } from './simulated-app.ts';

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
 * Behaves as its config says: `{ pods: 'crash-loop' }` applies to all pods that use the config, and
 * `{ worker: 'unready' }` to pods labelled `app: worker`. Pods without an entry work.
 */
export const obedientApp: App = (data, { metadata }) => {
  const word = data[metadata.labels?.['app'] ?? ''] ?? data['pods'] ?? 'works';
  if (!isFate(word))
    throw new TypeError(`"${word}" is not a valid behaviour: must be one of ${[...fates].join(', ')}`);
  return word;
};

function isFate(word: string): word is Extract<AppBehaviour, string> {
  return fates.has(word);
}
