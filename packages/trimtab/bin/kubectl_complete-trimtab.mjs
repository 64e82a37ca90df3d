#!/usr/bin/env node
// kubectl starts this program to complete the arguments of `kubectl trimtab`.
process.env.TRIMTAB_INVOKED_AS = 'kubectl_complete-trimtab';
await import('./trimtab.mjs');
