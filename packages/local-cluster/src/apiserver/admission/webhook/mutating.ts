import type { Authorise } from '../../cel/authorizer.ts';
import { internalError } from '../../errors/status-error.ts';
import { type ApiObject, equal } from '../../object.ts';
import { jsonPatch, type Operation } from '../../patch/json-patch.ts';
import { PatchProblem } from '../../patch/patch-problem.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import type { AdmissionPlugin, Attributes } from '../admission.ts';
import { admissionRequestOf, isExempt } from '../request-of.ts';
import { reviewFor } from './matching.ts';
import { callWebhook, deniedBy } from './review.ts';
import type { Webhook, WebhookConfiguration } from './webhook-objects.ts';

interface Hook {
  configuration: string;
  webhook: Webhook;
  index: number;
}

/** Calls mutating webhooks one after the other, each with the result of the one before; some are called twice. */
export function mutatingWebhooks(
  configurations: () => readonly WebhookConfiguration[],
  storage: ObjectStorage,
  authorise: Authorise,
): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    async mutate(attributes) {
      const hooks = hooksOf(configurations());
      if (hooks.length === 0 || isExempt(attributes)) return;
      const changedSince = new Set<Hook>();
      const called: Hook[] = [];
      for (const hook of hooks) {
        const changed = await ask(hook, 0, attributes, storage, authorise);
        if (changed === 'not asked') continue;
        if (changed === 'changed') for (const before of called) changedSince.add(before);
        called.push(hook);
      }
      // A webhook with reinvocationPolicy IfNeeded is called again when a later webhook changed the object.
      for (const hook of called)
        if (hook.webhook.reinvocationPolicy === 'IfNeeded' && changedSince.has(hook))
          await ask(hook, 1, attributes, storage, authorise);
    },
  };
}

function hooksOf(configurations: readonly WebhookConfiguration[]): Hook[] {
  return configurations
    .flatMap(({ metadata, webhooks = [] }) =>
      webhooks.map((webhook) => ({ configuration: metadata.name ?? '', webhook })),
    )
    .map((hook, index) => ({ ...hook, index }));
}

async function ask(
  { configuration, webhook, index }: Hook,
  round: number,
  attributes: Attributes,
  storage: ObjectStorage,
  authorise: Authorise,
): Promise<'not asked' | 'same' | 'changed'> {
  const request = reviewFor(webhook, admissionRequestOf(attributes, storage), attributes, authorise);
  if (request === undefined) return 'not asked';
  const response = await callWebhook(webhook, request, true);
  const note = { configuration, webhook: webhook.name };
  const at = `round_${round}_index_${index}`;
  if (response === undefined) {
    attributes.annotate(`failed-open.mutation.webhook.admission.k8s.io/${at}`, webhook.name);
    return 'same';
  }
  for (const warning of response.warnings) attributes.warn(warning);
  for (const [key, value] of Object.entries(response.auditAnnotations))
    attributes.annotate(`${webhook.name}/${key}`, value);
  if (!response.allowed) {
    attributes.annotate(
      `mutation.webhook.admission.k8s.io/${at}`,
      JSON.stringify({ ...note, mutated: false }),
    );
    throw deniedBy(webhook, response);
  }
  const { patch = [] } = response;
  const mutated = patch.length > 0 && applyPatch(attributes, patch as Operation[]);
  attributes.annotate(`mutation.webhook.admission.k8s.io/${at}`, JSON.stringify({ ...note, mutated }));
  if (mutated)
    attributes.annotate(
      `patch.webhook.admission.k8s.io/${at}`,
      JSON.stringify({ ...note, patch, patchType: 'JSONPatch' }),
    );
  return mutated ? 'changed' : 'same';
}

/** Returns whether the patch changed the object. The result is decoded like any request body, so it gets defaults. */
function applyPatch({ kind, object, as }: Attributes, patch: readonly Operation[]): boolean {
  if (object === undefined || as !== undefined) return false;
  const next = kind.codec.decode(patched(object, patch), []);
  if (equal(next, object)) return false;
  for (const key of Object.keys(object)) delete (object as unknown as Record<string, unknown>)[key];
  Object.assign(object, next);
  return true;
}

function patched(object: ApiObject, patch: readonly Operation[]): unknown {
  let result: unknown = object;
  for (const operation of patch) {
    try {
      result = jsonPatch(result, [operation]);
    } catch (error) {
      if (!(error instanceof PatchProblem)) throw error;
      throw internalError(asGo(operation, error.message));
    }
  }
  return result;
}

/** Formats the error as Kubernetes' JSON patch library does. */
function asGo({ op, path }: Operation, why: string): string {
  const told = why.startsWith('doc is missing path')
    ? `doc is missing path: ${JSON.stringify(path)}: missing value`
    : why;
  return `${op} operation does not apply: ${told}`;
}
