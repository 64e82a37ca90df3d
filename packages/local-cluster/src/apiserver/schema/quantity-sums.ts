import { quantityOf, quantityUnits } from './quantity.ts';

/** Decimal places: quantities in Kubernetes have no fraction smaller than a billionth. */
const scale = 9;

const units = (text: string) => quantityUnits(text, scale) ?? 0n;

/** Adds exactly. The result has the format of the first quantity, or of the second if the first is zero. */
export function addQuantities(one: string, other: string): string {
  const before = units(one);
  return quantityOf(before + units(other), scale, before === 0n ? other : one);
}

/** Subtracts exactly. The result has the format of the first quantity. */
export function subtractQuantities(one: string, other: string): string {
  return quantityOf(units(one) - units(other), scale, one);
}

/** Returns a negative number when the first is less, a positive one when it is greater. */
export function compareQuantities(one: string, other: string): number {
  const difference = units(one) - units(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
