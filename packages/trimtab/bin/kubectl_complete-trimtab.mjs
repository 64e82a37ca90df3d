#!/usr/bin/env node
// kubectl starts this program to complete the arguments of `kubectl trimtab`.
process.argv.splice(2, 0, '__complete');
process.env.TRIMTAB_INVOKED_AS = 'kubectl-trimtab';
await import('./trimtab.mjs');
