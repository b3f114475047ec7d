import { formatNumber, pluralOf } from '../lib/numbers.ts'

/** Number and plural formats of a language. */
export function countingOf(locale: string): {
  number(value: number): string
  count(value: number, one: string, other: string): string
} {
  const number = (value: number): string => formatNumber(locale, value)
  return {
    number,
    count: (value, one, other) => `${number(value)} ${pluralOf(locale, value) === 'one' ? one : other}`,
  }
}
