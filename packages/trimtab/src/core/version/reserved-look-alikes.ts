import { reservedVersionName } from '../../api/names.ts';

/**
 * Letters of other scripts that fonts draw like a letter of `current`, in lower case. They are the entries of Unicode's
 * confusables.txt for these six letters, capital letters that look alike, such as Greek nu for N, small capitals, and white
 * letters in black circles and squares, and the regional indicators that make flags. Full-width, bold and other
 * compatibility forms are not listed, because normalization removes them.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  c: 'сςσϲᴄⲥꮯꓚ𐐽𐔜𑓨🅒🅲🇨ᑕ',
  u: 'υսᴜꭎꭒꞟʋμꓴᑌ∪⋃ሀ𐓶𑣘🅤🆄🇺',
  r: 'гᴦꮁꭇꭈʀꮢꭱᖇⲅꓣ🅡🆁🇷',
  e: 'еєεҽ℮ꬲꭼⴹⲉ⋿ꓰᴇ🅔🅴🇪',
  n: 'ոռηνпɴⲛꓠᑎ🅝🅽🇳',
  t: 'тτᴛꭲⲧꓔ⊤⟙†𐊗𐊱𖼊🅣🆃🇹',
};

const plainLetter: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([plain, others]) =>
    [...others].map((other) => [other, plain] as const),
  ),
);

/** Whether a reader takes the name for `current`: other case, accents, or letters of other scripts. */
export function readsLikeReserved(name: string): boolean {
  // Letters in parentheses (U+249E) normalize to three characters each.
  const bare = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{C}\p{Z}()]/gu, '')
    .toLowerCase();
  return [...bare].map((each) => plainLetter.get(each) ?? each).join('') === reservedVersionName;
}
