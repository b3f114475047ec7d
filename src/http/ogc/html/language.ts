import { rangesOf } from './accept.ts'

/** The languages of the pages below `/ogc`. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Returns the language of a page: the one in its address, otherwise the browser's first choice. */
export function chooseLanguage(named: string | undefined, accepted = ''): Language {
  const asked = named === undefined ? [] : [named]
  const wanted = rangesOf(accepted)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
  for (const tag of [...asked, ...wanted]) {
    const found = languages.find((one) => tag.toLowerCase().split('-', 1)[0] === one)
    if (found !== undefined) return found
  }
  return 'en'
}
