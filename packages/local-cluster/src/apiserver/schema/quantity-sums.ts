import { quantityOf, quantityUnits } from './quantity.ts';

/** Nothing that Kubernetes counts is finer than a billionth. */
const scale = 9;

const units = (text: string) => quantityUnits(text, scale) ?? 0n;

/** Exactly; written as the first is, or as the second where the first is nothing. */
export function addQuantities(one: string, other: string): string {
  const before = units(one);
  return quantityOf(before + units(other), scale, before === 0n ? other : one);
}

/** Exactly; written as the first is. */
export function subtractQuantities(one: string, other: string): string {
  return quantityOf(units(one) - units(other), scale, one);
}

/** Below zero when the first is less, above when it is more. */
export function compareQuantities(one: string, other: string): number {
  const difference = units(one) - units(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
