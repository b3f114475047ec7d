import { formatNumber, pluralOf } from '../lib/numbers.ts'

/** How a language writes numbers, and how many there are of something that has one form for one and one for others. */
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
