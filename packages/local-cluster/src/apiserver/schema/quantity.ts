/** Exponents of ten by suffix; binary ones are powers of 1024. */
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

export const quantityProblem =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

interface Parts {
  negative: boolean;
  /** The value is `digits × 10^exponent × 1024^binaryPower`. */
  digits: bigint;
  exponent: number;
  form: 'decimal' | 'exponent' | 'binary';
  binaryPower: number;
}

/** Returns Kubernetes' canonical form: `1` for `1000m`, `512Mi` for `0.5Gi`. Undefined when it is not a quantity. */
export function canonicalQuantity(text: string): string | undefined {
  const parts = parse(text);
  return parts === undefined ? undefined : render(parts);
}

/** Returns an approximate number, for sums and comparisons that need not be exact. */
export function quantityValue(text: string): number | undefined {
  const parts = parse(text);
  if (parts === undefined) return undefined;
  const size = Number(parts.digits) * 10 ** parts.exponent * 1024 ** parts.binaryPower;
  return parts.negative ? -size : size;
}

/** Returns the exact value in units of 10^-scale, rounded up: Kubernetes uses milli (3) and whole (0) values. */
export function quantityUnits(text: string, scale: number): bigint | undefined {
  const parts = parse(text);
  if (parts === undefined) return undefined;
  const digits = parts.digits * 1024n ** BigInt(parts.binaryPower);
  if (!parts.negative) return wholeNumber(digits, parts.exponent + scale);
  const shift = parts.exponent + scale;
  return shift >= 0 ? -digits * 10n ** BigInt(shift) : -(digits / 10n ** BigInt(-shift));
}

/** Formats units of 10^-scale like another quantity: bytes stay in Mi, and cores in m. */
export function quantityOf(units: bigint, scale: number, like: string): string {
  const { form } = parse(like) ?? { form: 'decimal' };
  const digits = units < 0n ? -units : units;
  return render({ negative: units < 0n, digits, exponent: -scale, form, binaryPower: 0 });
}

function parse(text: string): Parts | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])|[eE]([+-]?\d{1,4}))?$/.exec(
    text,
  );
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', power] = match;
  if (whole === '' && fraction === '') return undefined;
  const binaryPower = suffix === '' ? 0 : Math.max(0, binary.indexOf(suffix));
  const shift = power === undefined ? (decimal[suffix] ?? 0) : Number(power);
  return {
    negative: sign === '-',
    digits: BigInt(`${whole}${fraction}`),
    exponent: shift - fraction.length,
    form: binaryPower > 0 ? 'binary' : power === undefined ? 'decimal' : 'exponent',
    binaryPower,
  };
}

function render(parts: Parts): string {
  if (parts.digits === 0n) return '0';
  const sign = parts.negative ? '-' : '';
  if (parts.form === 'binary') {
    const bytes = wholeNumber(parts.digits * 1024n ** BigInt(parts.binaryPower), parts.exponent);
    if (bytes >= 1024n) return `${sign}${renderBinary(bytes)}`;
    return `${sign}${renderDecimal(bytes, 0, 'decimal')}`;
  }
  return `${sign}${renderDecimal(parts.digits, parts.exponent, parts.form)}`;
}

/** Rounds up, so a quantity never becomes less than the requested one. */
function wholeNumber(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor - 1n) / divisor;
}

function renderBinary(bytes: bigint): string {
  let rest = bytes;
  let power = 0;
  while (power < binary.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binary[power]}`;
}

function renderDecimal(digits: bigint, exponent: number, form: 'decimal' | 'exponent'): string {
  let rest = digits;
  let power = exponent;
  if (power < -9) {
    rest = wholeNumber(rest, power + 9);
    power = -9;
  }
  while (rest % 10n === 0n) {
    rest /= 10n;
    power++;
  }
  const highest = form === 'decimal' ? 18 : Number.POSITIVE_INFINITY;
  while (power % 3 !== 0 || power > highest) {
    rest *= 10n;
    power--;
  }
  if (form === 'exponent') return power === 0 ? `${rest}` : `${rest}e${power}`;
  const suffix = Object.entries(decimal).find(([, each]) => each === power)?.[0] ?? '';
  return `${rest}${suffix}`;
}
