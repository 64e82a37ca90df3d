/** Says plainly what there is to run, until the local cluster exists. */
export function run(): number {
  process.stdout.write(`Trimtab has no local cluster yet, so there is nothing for \`npm start\` to run.

What works today, each by itself and from a fresh clone:

  npm test                  the checks and the fast tests
  npm run cluster -- up     real Kubernetes on this machine, built from source (Linux; needs Go 1.26)
  npm run local             a local API server that kubectl works with; it has no controllers and no pods yet
  npm run trimtab -- controller --kubeconfig FILE
                            the controller, against any cluster
  npm run trimtab -- proxy  versions over HTTP, for the cluster of your kubeconfig
  npm run test:cluster      the tests on real Kubernetes
  npm run bench             the measurements

docs/guides/release-a-config.md takes you from here to a release that rolls back by itself.
`);
  return 0;
}
