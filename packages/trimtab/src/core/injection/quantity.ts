const powers: Record<string, number> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The number that a quantity such as `100m`, `64Mi` or `1e3` stands for; undefined for other text. */
export function parseQuantity(quantity: string | number | undefined): number | undefined {
  const [, digits = '', suffix = ''] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(String(quantity ?? '')) ?? [];
  if (digits === '') return undefined;
  if (binary.includes(suffix)) return Number(digits) * 1_024 ** (binary.indexOf(suffix) + 1);
  const power = Object.hasOwn(powers, suffix) ? powers[suffix] : undefined;
  if (power === undefined) return undefined;
  // A division is rounded once, so 570m and 0.57 are the same number.
  return power < 0 ? Number(digits) / 10 ** -power : Number(digits) * 10 ** power;
}
