import { reservedVersionName } from '../../api/names.ts';

/**
 * Letters of other scripts that fonts draw like a letter of `current`, in lower case. They are the entries of Unicode's
 * confusables.txt for these six letters, capital letters that look alike, such as Greek nu for N, small capitals, and white
 * letters in black circles and squares, and the regional indicators that make flags. Full-width, bold and other
 * compatibility forms are not listed, because normalization removes them.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  c: 'сςσϲᴄⲥꮯꓚ𐐽𐔜𑓨🅒🅲🇨ᑕ𐌂𐊢𑣩𑣲🝌',
  u: 'υսᴜꭎꭒꞟʋμꓴᑌ∪⋃ሀ𐓶𑣘🅤🆄🇺𖽂',
  r: 'гᴦꮁꭇꭈʀꮢꭱᖇⲅꓣ🅡🆁🇷𐒴𖼵𝈖',
  e: 'еєεҽ℮ꬲꭼⴹⲉ⋿ꓰᴇ🅔🅴🇪𐊆𑢦𑢮',
  n: 'ոռηνпɴⲛꓠᑎ🅝🅽🇳𐔓',
  t: 'тτᴛꭲⲧꓔ⊤⟙†𐊗𐊱𖼊🅣🆃🇹𐌕𑢼🝨',
};

/** The letters of `current` with a stroke, hook, tail or tilde, which normalization does not take off as it does accents. */
const marked: Readonly<Record<string, string>> = {
  c: 'ȼƈꞓɕ',
  u: 'ʉᵾ',
  r: 'ɍɼɽᵲᵳꞧ',
  e: 'ɇⱸ',
  n: 'ƞɲɳŋꞑᵰꞥ',
  t: 'ŧƭʈƫⱦᵵ',
};

const plainLetter: ReadonlyMap<string, string> = new Map(
  [lookAlikes, marked].flatMap((table) =>
    Object.entries(table).flatMap(([plain, others]) => [...others].map((other) => [other, plain] as const)),
  ),
);

/**
 * Whether a reader takes the name for `current`: other case, accents, letters of other scripts, or punctuation around it,
 * because messages put names into quotes and at the end of a sentence.
 */
export function readsLikeReserved(name: string): boolean {
  // Letters in parentheses (U+249E) normalize to three characters each.
  const bare = name.normalize('NFKD').replace(/[\p{M}\p{C}\p{Z}()]/gu, '');
  const plain = [...bare].map(plainOf).join('');
  return plain.replace(/^[\p{P}\p{Sk}]+|[\p{P}\p{Sk}]+$/gu, '') === reservedVersionName;
}

/** A capital letter may look alike where its small letter does not. */
function plainOf(letter: string): string {
  const small = letter.toLowerCase();
  return plainLetter.get(letter) ?? plainLetter.get(small) ?? small;
}
