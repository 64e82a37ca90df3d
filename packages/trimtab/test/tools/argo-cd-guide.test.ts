import { readFileSync } from 'node:fs';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { expect, test } from 'vitest';
import { configRollout } from '../support/config-rollout.ts';
import { guideSteps } from '../support/guide-blocks.ts';
import { healthCheck } from './support/argo-cd.ts';
import { ignoredInGuide, manifestInGuide, settingsInGuide } from './support/argo-cd-guide.ts';

test('the guide shows the health check that is shipped', () => {
  const shown = settingsInGuide()?.data['resource.customizations.health.trimtab.dev_ConfigRollout'];
  expect(shown).toBe(readFileSync(healthCheck, 'utf8'));
});

test('all manifests of the guide are valid YAML', () => {
  const files = guideSteps('argo-cd.md').flatMap((step) => ('file' in step ? [step.file] : []));
  const kinds = files.flatMap((file) => manifestInGuide<{ kind: string }>(file).map(({ kind }) => kind));
  expect(kinds).toEqual(['ConfigMap', 'ConfigRollout', 'Application', 'AppProject']);
});

test('the ConfigRollout of the guide is the one that Trimtab creates', () => {
  const appliedByServer = annotated({ 'argocd.argoproj.io/sync-options': 'ServerSideApply=true' });
  const { spec, ...rest } = configRollout('foo', {}, appliedByServer);
  const { strategy: _, ...written } = spec;
  expect(manifestInGuide('rollout.yaml')).toEqual([{ ...rest, spec: written }]);
});

test('the ignored fields are those of a Deployment', () => {
  expect(ignoredInGuide()).toMatchObject([{ group: 'apps', kind: 'Deployment' }]);
});
