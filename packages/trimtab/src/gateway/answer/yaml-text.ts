import { stringify } from 'yaml';

/** YAML of this much JSON is written within about 30 ms. */
const maxJsonLength = 128 * 1024;

/**
 * An object as YAML, from its JSON. A large object stays JSON, which is YAML too: to write it in the usual style of YAML
 * would take several times as long, and delay other requests.
 */
export function yamlText(json: string): string {
  if (json.length <= maxJsonLength) return stringify(JSON.parse(json));
  return `${json.replace(unprintable, escaped)}\n`;
}

/** YAML takes some of these characters for line breaks, and does not allow the others, where JSON allows them all. */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
