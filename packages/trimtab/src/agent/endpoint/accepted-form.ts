export type Form = 'json' | 'text';

/**
 * Chooses the form of a response by the Accept header. Text is chosen when the client names it, with a
 * higher quality than JSON if it names both. Everything else is answered with JSON.
 */
export function acceptedForm(accept: string | undefined): Form {
  let [json, text] = [0, 0];
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (type === 'application/json' || type === 'application/*') json = Math.max(json, quality);
    if (type === 'text/plain' || type === 'text/*') text = Math.max(text, quality);
  }
  return text > json ? 'text' : 'json';
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = text === undefined ? 1 : Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
}
