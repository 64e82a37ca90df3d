import type { Authorise } from '../../cel/authorizer.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { admissionRequestOf, isExempt } from '../request-of.ts';
import { reviewFor } from './matching.ts';
import { callWebhook, deniedBy } from './review.ts';
import type { WebhookConfiguration } from './webhook-objects.ts';

/** Calls all validating webhooks that match a write concurrently; the first denial in configured order is returned. */
export function validatingWebhooks(
  configurations: () => readonly WebhookConfiguration[],
  storage: ObjectStorage,
  authorise: Authorise,
): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    async validate(attributes) {
      const all = configurations().flatMap(({ webhooks = [] }) => webhooks);
      if (all.length === 0 || isExempt(attributes)) return;
      const request = admissionRequestOf(attributes, storage);
      const asked = all.flatMap((webhook) => {
        const question = reviewFor(webhook, request, attributes, authorise);
        return question === undefined ? [] : [{ webhook, question }];
      });
      const answers = await Promise.allSettled(
        asked.map(({ webhook, question }) =>
          callWebhook(webhook, { ...question, uid: crypto.randomUUID() }, false),
        ),
      );
      for (const [index, answer] of answers.entries()) {
        const webhook = asked[index]?.webhook;
        if (answer.status === 'rejected') throw answer.reason;
        if (answer.value === undefined || webhook === undefined) continue;
        for (const warning of answer.value.warnings) attributes.warn(warning);
        for (const [key, value] of Object.entries(answer.value.auditAnnotations))
          attributes.annotate(`${webhook.name}/${key}`, value);
        if (!answer.value.allowed) throw deniedBy(webhook, answer.value);
      }
    },
  };
}
