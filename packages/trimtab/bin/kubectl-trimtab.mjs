#!/usr/bin/env node
// `kubectl trimtab` in a checkout, with node_modules/.bin on the PATH.
process.env.TRIMTAB_INVOKED_AS = 'kubectl-trimtab';
await import('./trimtab.mjs');
