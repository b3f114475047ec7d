const negative = 0x4000
/** Signs of what is not a number, and of the infinities, which PostgreSQL has since version 14. */
const specialTexts: Readonly<Record<number, string>> = { 49152: 'NaN', 53248: 'Infinity', 61440: '-Infinity' }
const headerBytes = 8
const digitsOfGroup = 4
/** PostgreSQL's own limits on digits before and after the point. */
const maxGroups = 40_000

/**
 * Writes a binary `numeric` (PostgreSQL, numeric_send: count of groups, weight of the first, sign, digits shown after
 * the point, then groups of four digits) as plain decimal text, and what is not a number or infinite as PostgreSQL writes it. `bytes`
 * is used again for every value.
 */
export class NumericText {
  bytes = new Uint8Array(64)
  length = 0

  /** False for bytes that are no numeric. */
  read(view: DataView, start: number, end: number): boolean {
    this.length = 0
    if (end - start < headerBytes) return false
    const groups = view.getInt16(start)
    const weight = view.getInt16(start + 2)
    const sign = view.getUint16(start + 4)
    const scale = view.getUint16(start + 6)
    const special = specialTexts[sign]
    if (special !== undefined) return this.#special(special)
    if (groups < 0 || groups > maxGroups || (sign !== 0 && sign !== negative)) return false
    if (end - start !== headerBytes + groups * 2) return false
    this.#reserve((Math.max(0, weight) + 2) * digitsOfGroup + scale + 8)
    if (sign === negative) this.#put(0x2d)
    this.#integerPart(view, start + headerBytes, groups, weight)
    if (scale > 0) this.#fraction(view, start + headerBytes, { groups, weight, scale })
    return true
  }

  #special(text: string): boolean {
    for (let at = 0; at < text.length; at += 1) this.#put(text.charCodeAt(at))
    return true
  }

  #integerPart(view: DataView, at: number, groups: number, weight: number): void {
    if (weight < 0) {
      this.#put(0x30)
      return
    }
    for (let group = 0; group <= weight; group += 1) {
      const value = group < groups ? view.getInt16(at + group * 2) : 0
      this.#digits(value, group === 0 ? digitsIn(value) : digitsOfGroup, digitsOfGroup)
    }
  }

  #fraction(view: DataView, at: number, form: { groups: number; weight: number; scale: number }): void {
    this.#put(0x2e)
    let left = form.scale
    for (let group = form.weight + 1; left > 0; group += 1) {
      const value = group >= 0 && group < form.groups ? view.getInt16(at + group * 2) : 0
      this.#digits(value, digitsOfGroup, Math.min(left, digitsOfGroup))
      left -= digitsOfGroup
    }
  }

  /** The first `shown` of `count` digits. */
  #digits(value: number, count: number, shown: number): void {
    let power = 10 ** (count - 1)
    for (let digit = 0; digit < Math.min(count, shown); digit += 1) {
      this.#put(0x30 + (Math.floor(value / power) % 10))
      power /= 10
    }
  }

  #put(byte: number): void {
    this.bytes[this.length] = byte
    this.length += 1
  }

  #reserve(count: number): void {
    if (count > this.bytes.length) this.bytes = new Uint8Array(count * 2)
  }
}

function digitsIn(value: number): number {
  return value >= 1000 ? 4 : value >= 100 ? 3 : value >= 10 ? 2 : 1
}
