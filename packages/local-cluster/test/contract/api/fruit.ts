import type { Answer, Query } from './http.ts';
import { configMap } from './objects.ts';
import { once, type Target } from './target.ts';

/** Ten ConfigMaps with the label `set=fruit`, which excludes the objects of other cases. */
export const fruit = once(async ({ api, core }: Target) => {
  const colours = ['red', 'green', 'yellow', '', undefined];
  for (let n = 0; n < 10; n++) {
    const colour = colours[n % 5];
    const labels = { set: 'fruit', number: String(n), ...(colour === undefined ? {} : { colour }) };
    await api.post(core('configmaps'), configMap({ name: `fruit-${n}`, labels }, { data: { n: String(n) } }));
  }
});

export const numbers = ({ body }: Answer) =>
  body.items.map(({ metadata }) => metadata.labels?.['number']).join('');

export async function list(target: Target, query: Query = {}, path = 'configmaps'): Promise<Answer> {
  await fruit(target);
  return target.api.get(target.core(path), { query });
}
