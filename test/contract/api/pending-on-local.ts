/**
 * Cases that hold on Kubernetes and not yet on the local API server, as the tally names them. They run, and must fail:
 * one that begins to hold fails the run until it is taken off this list, which is to become empty.
 */
export const pendingOnLocal: ReadonlySet<string> = new Set([]);
