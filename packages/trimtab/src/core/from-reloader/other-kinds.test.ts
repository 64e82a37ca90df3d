import { expect, test } from 'vitest';
import { otherKindText } from './other-kinds.ts';

const annotations = {
  'secret.reloader.stakater.com/reload': 'bar',
  'reloader.stakater.com/auto': 'true',
  'example.com/team': 'shop',
};

test.each([
  ['Job', 'Trimtab does not replace Jobs', 'delete and create it'],
  ['CronJob', 'Trimtab does not run CronJobs', 'kubectl create job --from=cronjob/nightly JOB-NAME'],
  ['Rollout', 'Trimtab does not update Argo Rollouts', 'kubectl argo rollouts restart nightly'],
] as const)('annotations of Reloader on a %s are named, with what to do', (kind, what, remedy) => {
  const text = otherKindText(kind, { name: 'nightly', annotations });
  expect(text).toContain(
    'Annotation reloader.stakater.com/auto, secret.reloader.stakater.com/reload of Reloader is ignored',
  );
  expect(text).toContain(what);
  expect(text).toContain(remedy);
});

test('annotations that Reloader itself has written, and those of others, are not reported', () => {
  const written = { 'reloader.stakater.com/last-reloaded-from': '{}', 'example.com/team': 'shop' };
  expect(otherKindText('Job', { name: 'nightly', annotations: written })).toBeUndefined();
});
