import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import { RewrittenTemplates } from './rewritten-templates.ts';

function web(name: string, { versions, uid = 'u1' }: { versions?: string; uid?: string } = {}): Workload {
  return reduceWorkload('Deployment')({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'ns', name: 'web', uid },
    spec: {
      template: {
        ...(versions && { metadata: { annotations: { [annotations.versions]: versions } } }),
        spec: { volumes: [{ name: 'c', configMap: { name } }] },
      },
    },
  } as never);
}

test('a template that names the same versions again after it was written is the choice of its owner', () => {
  const templates = new RewrittenTemplates();
  expect(templates.cameBack(web('foo-1'), 'admission')).toBe(false);
  templates.rewritten(web('foo-1'), 'admission');
  expect(templates.cameBack(web('foo', { versions: 'configmap/foo=foo-1' }), 'admission')).toBe(false);
  expect(templates.cameBack(web('foo-1'), 'admission')).toBe(true);
  expect(templates.cameBack(web('foo-2'), 'admission'), 'other versions').toBe(false);
  expect(templates.cameBack(web('foo-1', { uid: 'u2' }), 'admission'), 'another workload').toBe(false);
});

test('a change of the wanted way ends that', () => {
  const templates = new RewrittenTemplates();
  templates.rewritten(web('foo-1'), 'admission');
  expect(templates.cameBack(web('foo-1'), 'template')).toBe(false);
  expect(templates.cameBack(web('foo-1'), 'admission')).toBe(false);
});

test('a template that needs admission is written each time where admission is gone: its pods would be refused', () => {
  const templates = new RewrittenTemplates();
  const byAdmission = web('foo', { versions: 'configmap/foo=foo-1' });
  templates.rewritten(byAdmission, 'template');
  expect(templates.cameBack(byAdmission, 'template')).toBe(false);
});

test('a workload that was deleted is forgotten', () => {
  const templates = new RewrittenTemplates();
  templates.rewritten(web('foo-1'), 'admission');
  templates.forget(web('foo-1'));
  expect(templates.cameBack(web('foo-1'), 'admission')).toBe(false);
});

test('it is told once', () => {
  const templates = new RewrittenTemplates();
  templates.rewritten(web('foo-1'), 'admission');
  expect([templates.isNew(web('foo-1')), templates.isNew(web('foo-1'))]).toEqual([true, false]);
});
