import { describe, expect, test } from 'vitest';
import { configArgument, objectArgument, typedName, workloadArgument } from './object-argument.ts';

describe('TYPE/NAME', () => {
  test.each([
    ['foo', 'ConfigMap', 'foo'],
    ['cm/foo', 'ConfigMap', 'foo'],
    ['configmap/foo.bar', 'ConfigMap', 'foo.bar'],
    ['ConfigMaps/foo', 'ConfigMap', 'foo'],
    ['secret/bar', 'Secret', 'bar'],
    ['secrets/bar', 'Secret', 'bar'],
  ])('%s is a config', (text, kind, name) => {
    expect(configArgument(text)).toEqual({ is: 'config', kind, name });
  });

  test.each([
    ['deployment/web', 'Deployment'],
    ['deploy/web', 'Deployment'],
    ['deployments.apps/web', 'Deployment'],
    ['sts/web', 'StatefulSet'],
    ['ds/web', 'DaemonSet'],
  ])('%s is a workload', (text, kind) => {
    expect(workloadArgument(text)).toEqual({ is: 'workload', kind, name: 'web' });
    expect(objectArgument(text)).toEqual({ is: 'workload', kind, name: 'web' });
  });

  test('is refused with what to write instead', () => {
    expect(() => configArgument('deployment/web')).toThrow(
      "'deployment/web' is a workload, but a config is required",
    );
    expect(() => workloadArgument('cm/foo')).toThrow("'cm/foo' is a config, but a workload is required");
    expect(() => workloadArgument('web')).toThrow('write the workload as TYPE/NAME, such as deployment/web');
    expect(() => objectArgument('deploymnt/web')).toThrow('did you mean deployment?');
    expect(() => objectArgument('toString/web')).toThrow("'toString' is not a type that Trimtab knows");
    for (const name of ['cm/', 'cm/Foo', 'cm/a/b', 'a_b', `cm/${'a'.repeat(254)}`])
      expect(() => objectArgument(name), name).toThrow('is not a valid object name');
  });

  test('is printed as it is typed', () => {
    expect(typedName({ kind: 'ConfigMap', name: 'foo' })).toBe('configmap/foo');
  });
});
