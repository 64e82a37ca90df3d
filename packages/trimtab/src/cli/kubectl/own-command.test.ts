import { expect, test } from 'vitest';
import { ownCommand } from './own-command.ts';

function split(line: string) {
  return ownCommand(line.split(' '));
}

test.each([
  ['set owner configmap/foo deployment/bar', 'set owner', 'configmap/foo deployment/bar'],
  ['-n shop set owner-ref cm/foo deploy/bar', 'set owner', '-n shop cm/foo deploy/bar'],
  ['set -n=shop owner-reference cm/foo deploy/bar', 'set owner', '-n=shop cm/foo deploy/bar'],
  [
    '--context prod --kubeconfig=/k set volume deployment/bar -t configmap --configmapname foo',
    'set volume',
    '--context prod --kubeconfig=/k deployment/bar -t configmap --configmapname foo',
  ],
  ['create configmap foo --from-file=config.yml', 'create configmap', 'foo --from-file=config.yml'],
  [
    'create -nshop cm foo --from-literal=a=b --owner deploy/bar',
    'create configmap',
    '-nshop foo --from-literal=a=b --owner deploy/bar',
  ],
  ['create configmap --help', 'create configmap', '--help'],
  ['create configmap foo --save-config --owner d/b', 'create configmap', 'foo --save-config --owner d/b'],
])('Trimtab runs `kubectl %s`', (line, command, args) => {
  expect(split(line)).toEqual({ command, args: args.split(' ') });
});

test.each([
  'get pods',
  'set image deployment/bar app=nginx',
  'set',
  '-n set owner',
  'create -f foo.yaml',
  'create secret generic foo',
  'create configmap foo --save-config',
  'create configmap foo --field-manager me -o yaml',
  'create configmap foo -o go-template={{.metadata.name}}',
  '--profile cpu set owner a b',
  'exec pod -- set owner',
  'toString constructor',
  '--help',
])('kubectl runs `kubectl %s`', (line) => {
  expect(split(line)).toBeUndefined();
});
