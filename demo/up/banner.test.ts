import { Screen } from 'trimtab/cli/output/screen.ts';
import { expect, test } from 'vitest';
import { type BannerParts, banner, shellPath } from './banner.ts';

const parts: BannerParts = {
  demo: 'http://127.0.0.1:8080',
  kubeconfig: '/home/anna/trimtab/.trimtab/kubeconfig',
  gateway: 'https://127.0.0.1:7444',
  api: 'https://127.0.0.1:7443',
  curlFile: '.trimtab/curlrc',
  hasKeys: true,
  hasKubectl: true,
  pods: ['volumes are mounted at their paths', 'each pod has its own address'],
  home: '/home/anna',
};
const screen = (isTTY: boolean, env = {}) => new Screen({ write: () => {}, isTTY }, env);

test('the first screen says what runs where, and what to do next', () => {
  expect(banner(parts, screen(false))).toBe(`Trimtab is up

  demo     http://127.0.0.1:8080
  gateway  https://127.0.0.1:7444
  API      https://127.0.0.1:7443
  pods     volumes are mounted at their paths
           each pod has its own address
  keys     g good change   b bad change   u undo   t live tree   q quit

Run in another shell, in this folder:

  export KUBECONFIG=~/trimtab/.trimtab/kubeconfig
  npx trimtab status demo -w
  npx trimtab versions demo
  npx trimtab history demo
  npx trimtab rollback demo
  kubectl get pods,configrollouts
  curl -K .trimtab/curlrc https://127.0.0.1:7444/api/v1/namespaces/default/configmaps/demo/current

`);
});

test('without the demo, kubectl and a terminal it offers what there is', () => {
  const { demo: _, ...others } = parts;
  expect(banner({ ...others, hasKeys: false, hasKubectl: false, pods: [] }, screen(false))).toBe(
    `Trimtab is up

  gateway  https://127.0.0.1:7444
  API      https://127.0.0.1:7443

Run in another shell, in this folder:

  export KUBECONFIG=~/trimtab/.trimtab/kubeconfig
  npx trimtab status -w

`,
  );
});

test('colours are for terminals, and NO_COLOR turns them off', () => {
  expect(banner(parts, screen(true))).toContain('\x1b[1mTrimtab is up\x1b[0m');
  expect(banner(parts, screen(true, { NO_COLOR: '1' }))).toBe(banner(parts, screen(false)));
});

test.each([
  ['/home/anna/a/kubeconfig', '~/a/kubeconfig'],
  ['/srv/kubeconfig', '/srv/kubeconfig'],
  ['/home/annabel/kubeconfig', '/home/annabel/kubeconfig'],
  ["/home/anna/my folder/anna's", `'/home/anna/my folder/anna'\\''s'`],
])('%s is typed as %s', (path, typed) => {
  expect(shellPath(path, '/home/anna')).toBe(typed);
});
