import { randomInt } from 'node:crypto';

/** The alphabet of Kubernetes: without vowels, so suffixes do not form words, and without ambiguous characters. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxLength = 63;

export function randomSuffix(length = suffixLength): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** `web-` becomes `web-x7k2p`. */
export function generatedName(base: string): string {
  return `${base.slice(0, maxLength - suffixLength)}${randomSuffix()}`;
}
