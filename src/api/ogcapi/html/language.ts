/** The languages of the pages below `/ogc`. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Returns the language of a page: the one in its address, otherwise the browser's first choice. */
export function chooseLanguage(named: string | undefined, accepted = ''): Language {
  const requested = named === undefined ? [] : [named]
  const selected = rangesOf(accepted)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
  for (const tag of [...requested, ...selected]) {
    const found = languages.find((one) => tag.toLowerCase().split('-', 1)[0] === one)
    if (found !== undefined) return found
  }
  return 'en'
}

/** One range of an `Accept…` header. */
interface AcceptRange {
  range: string
  /** 0 to 1. */
  weight: number
}

/** Returns the ranges of an `Accept…` header in sequence (RFC 9110, section 12.4.2). */
function rangesOf(header: string): AcceptRange[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((one) => one.trim())
      const q = parameters.find((one) => one.startsWith('q='))?.slice(2)
      const weight = q === undefined ? 1 : Number(q)
      return { range, weight: weight >= 0 && weight <= 1 ? weight : 0 }
    })
    .filter(({ range }) => range !== '')
}
