import type { Authorise } from '../../cel/authorizer.ts';
import { internalError } from '../../errors/status-error.ts';
import { type ApiObject, clone, equal, overwrite } from '../../object.ts';
import type { Operation } from '../../patch/json-patch.ts';
import { PatchProblem } from '../../patch/patch-problem.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import type { AdmissionPlugin, Attributes } from '../admission.ts';
import { patchedInAdmission } from '../patched-in-admission.ts';
import { admissionRequestOf, isExempt } from '../request-of.ts';
import { reviewFor } from './matching.ts';
import { callWebhook, deniedBy } from './review.ts';
import type { Webhook, WebhookConfiguration } from './webhook-objects.ts';

interface Hook {
  configuration: string;
  webhook: Webhook;
  index: number;
}

/**
 * Calls mutating webhooks one after the other, each with the result of the one before. When a webhook or policy has
 * changed the object, all mutating plugins run a second time, for example to mount the token of the service account into a
 * container that the webhook has added. Webhooks with reinvocationPolicy IfNeeded are then called again if their input has
 * changed.
 */
export function mutatingWebhooks(
  configurations: () => readonly WebhookConfiguration[],
  storage: ObjectStorage,
  authorise: Authorise,
): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    async mutate(attributes, secondPass) {
      const hooks = hooksOf(configurations());
      if (hooks.length === 0 || isExempt(attributes)) return;
      const calls = new Calls((hook, round) => ask(hook, round, attributes, storage, authorise));
      if (await calls.run(hooks, 0)) secondPass.require();
      const output = attributes.object && clone(attributes.object);
      secondPass.instead(async () => {
        if (!equal(output, attributes.object)) calls.requireAgain();
        await calls.run(hooks, 1);
      });
    },
  };
}

type Outcome = 'not asked' | 'same' | 'changed';

/** The calls of one request, in two rounds. The second round calls only webhooks whose input has changed since. */
class Calls {
  readonly #ask: (hook: Hook, round: 0 | 1) => Promise<Outcome>;
  /** Webhooks with reinvocationPolicy IfNeeded that were called after the last change of the object. */
  #called = new Set<Hook>();
  readonly #again = new Set<Hook>();

  constructor(ask: (hook: Hook, round: 0 | 1) => Promise<Outcome>) {
    this.#ask = ask;
  }

  /** Returns whether a webhook has changed the object. */
  async run(hooks: readonly Hook[], round: 0 | 1): Promise<boolean> {
    let hasChanged = false;
    for (const hook of hooks) {
      if (round === 1 && !this.#again.has(hook)) continue;
      const outcome = await this.#ask(hook, round);
      if (outcome === 'not asked') continue;
      if (outcome === 'changed') {
        hasChanged = true;
        this.requireAgain();
      }
      if (hook.webhook.reinvocationPolicy === 'IfNeeded') this.#called.add(hook);
    }
    return hasChanged;
  }

  requireAgain(): void {
    for (const hook of this.#called) this.#again.add(hook);
    this.#called = new Set();
  }
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
): Promise<Outcome> {
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
  overwrite(object, next);
  return true;
}

function patched(object: ApiObject, patch: readonly Operation[]): unknown {
  try {
    return patchedInAdmission(object, patch);
  } catch (error) {
    throw error instanceof PatchProblem ? internalError(error.message) : error;
  }
}
