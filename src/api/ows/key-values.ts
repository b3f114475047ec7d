import { OwsFailure } from './ows-failure.ts'

/** Parameters of an OGC request (OGC 06-121r9, section 11.5.1): names in any case, the first value counts. */
export class KeyValues {
  readonly #values = new Map<string, string>()
  readonly #all: [name: string, value: string][] = []

  constructor(pairs: Iterable<readonly [name: string, value: string]>) {
    for (const [name, value] of pairs) {
      const key = name.toLowerCase()
      this.#all.push([key, value])
      if (!this.#values.has(key)) this.#values.set(key, value)
    }
  }

  /** Undefined where it is absent or empty. */
  find(name: string): string | undefined {
    const value = this.#values.get(name.toLowerCase())
    return value === '' ? undefined : value
  }

  /** Every value of the parameters whose names, in lower case, match. */
  all(names: RegExp): string[] {
    return this.#all.flatMap(([name, value]) => (names.test(name) ? [value] : []))
  }

  /** Names in lower case. */
  entries(): Iterable<[name: string, value: string]> {
    return this.#values
  }

  /** Throws `OwsFailure` (`MissingParameterValue`). */
  require(name: string): string {
    const value = this.find(name)
    if (value === undefined)
      throw new OwsFailure('MissingParameterValue', `The parameter ${name.toUpperCase()} is missing`, name)
    return value
  }

  /** A whole number from 1 to `most`. */
  requireCount(name: string, most: number): number {
    const text = this.require(name)
    const value = Number(text)
    if (/^\d{1,9}$/.test(text) && value >= 1 && value <= most) return value
    throw new OwsFailure(
      'InvalidParameterValue',
      `${name.toUpperCase()} "${text}" is not a whole number from 1 to ${most}`,
      name,
    )
  }

  /** Splits at commas; empty parts remain. */
  list(name: string): string[] {
    const value = this.find(name)
    return value === undefined ? [] : value.split(',')
  }
}

/** The parameters of an address. */
export function keyValuesOf(url: string): KeyValues {
  const at = url.indexOf('?')
  return new KeyValues(new URLSearchParams(at < 0 ? '' : url.slice(at + 1)))
}
