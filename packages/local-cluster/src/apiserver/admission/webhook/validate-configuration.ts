import { compile } from '../../cel/program.ts';
import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { ruleErrors } from '../rule-errors.ts';
import type { Webhook, WebhookConfiguration } from './webhook-objects.ts';

/** Returns the validation errors of a webhook configuration, with Kubernetes' messages. */
export function validateWebhooks({ webhooks = [] }: WebhookConfiguration): FieldError[] {
  const seen = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const errors = webhookErrors(webhook, path);
    if (seen.has(webhook.name))
      errors.push({
        reason: 'FieldValueDuplicate',
        field: `${path}.name`,
        body: `Duplicate value: ${JSON.stringify(webhook.name)}`,
      });
    seen.add(webhook.name);
    return errors;
  });
}

function webhookErrors(webhook: Webhook, path: string): FieldError[] {
  const { name, sideEffects, timeoutSeconds, failurePolicy, rules = [] } = webhook;
  const errors: FieldError[] = [];
  const admissionReviewVersions = webhook.admissionReviewVersions ?? [];
  if (admissionReviewVersions.length === 0)
    errors.push(required(`${path}.admissionReviewVersions`, 'must specify one of v1, v1beta1'));
  else if (!admissionReviewVersions.some((each) => ['v1', 'v1beta1'].includes(each)))
    errors.push(
      invalid(
        `${path}.admissionReviewVersions`,
        admissionReviewVersions,
        'must include at least one of v1, v1beta1',
      ),
    );
  errors.push(...nameErrors(name, `${path}.name`));
  if (failurePolicy !== undefined && !['Fail', 'Ignore'].includes(failurePolicy))
    errors.push(notSupported(`${path}.failurePolicy`, failurePolicy, ['Fail', 'Ignore']));
  if (sideEffects === undefined || sideEffects === '')
    errors.push(required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  else if (!['None', 'NoneOnDryRun'].includes(sideEffects))
    errors.push(notSupported(`${path}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun']));
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30))
    errors.push(
      invalid(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    );
  errors.push(...clientErrors(webhook, `${path}.clientConfig`), ...conditionErrors(webhook, path));
  for (const [index, rule] of rules.entries()) errors.push(...ruleErrors(rule, `${path}.rules[${index}]`));
  return errors;
}

function nameErrors(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  const problems = dnsSubdomain(name).map((each) => invalid(path, name, each));
  if (problems.length > 0 || name.split('.').length >= 3) return problems;
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function clientErrors({ clientConfig: { url, service } }: Webhook, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  return url === undefined ? [] : urlErrors(url, `${path}.url`);
}

function urlErrors(url: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  if (!URL.canParse(url)) return [required(path, `url must be a valid URL${form}`)];
  const { protocol, host, username, hash, search } = new URL(url);
  const errors: FieldError[] = [];
  if (protocol !== 'https:')
    errors.push(invalid(path, protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`));
  if (username !== '') errors.push(invalid(path, username, 'user information is not permitted in the URL'));
  if (hash !== '') errors.push(invalid(path, hash.slice(1), 'fragments are not permitted in the URL'));
  if (search !== '')
    errors.push(invalid(path, search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
}

function conditionErrors({ matchConditions = [] }: Webhook, path: string): FieldError[] {
  return matchConditions.flatMap(({ name, expression }, index) => {
    const at = `${path}.matchConditions[${index}]`;
    const errors: FieldError[] = name === '' ? [required(`${at}.name`)] : [];
    if (expression.trim() === '') return [...errors, required(`${at}.expression`)];
    try {
      compile(expression);
      return errors;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [...errors, invalid(`${at}.expression`, expression, `compilation failed: ${why}`)];
    }
  });
}
