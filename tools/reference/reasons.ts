import { eventReasons } from 'trimtab/api/reasons/event-reasons.ts';
import { podReasons } from 'trimtab/api/reasons/pod-reasons.ts';
import type { ReasonEntry } from 'trimtab/api/reasons/reason-entry.ts';
import { causeReasons, keepReasons, statusReasons } from 'trimtab/api/reasons/response-reasons.ts';
import { rolloutReasons } from 'trimtab/api/reasons/rollout-reasons.ts';

export function reasonReference(): string {
  return `# Reasons

Generated from \`packages/trimtab/src/api/reasons\` by \`npm run generate\`. Scripts and alerts can rely on a reason. The
message of a condition or Event is for people and may change.

## Conditions of a ConfigRollout

${table(rolloutReasons)}

## Pods and workloads

The condition Degraded has one of these reasons while a workload fails or cannot be judged. An Event has the same reason.

${table(podReasons)}

## Events

${table(eventReasons)}

## Responses of the gateway

Errors are Status objects of Kubernetes. An error of the API server passes through unchanged; these are the gateway's own.

| reason | code | meaning | what to do |
|---|---|---|---|
${Object.entries(statusReasons)
  .map(([reason, { code, meaning, remedy }]) => `| \`${reason}\` | ${code} | ${meaning} | ${remedy} |`)
  .join('\n')}

A request that waits for an activation names in its causes the reason of the condition Degraded, or one of these:

| reason | meaning |
|---|---|
${Object.entries(causeReasons)
  .map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`)
  .join('\n')}

A request that deletes all versions of a config lists those that it keeps, with one of these reasons:

| reason | meaning |
|---|---|
${Object.entries(keepReasons)
  .map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`)
  .join('\n')}
`;
}

function table(entries: Record<string, ReasonEntry>): string {
  const rows = Object.entries(entries).map(
    ([reason, { on, meaning, remedy }]) => `| \`${reason}\` | ${on} | ${meaning} | ${remedy} |`,
  );
  return ['| reason | on | meaning | what to do |', '|---|---|---|---|', ...rows].join('\n');
}
