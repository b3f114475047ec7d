import { ownValue } from '../core/values/record-keys.ts'

const names: Record<string, string> = {
  black: '#000000',
  blue: '#0000ff',
  brown: '#a52a2a',
  cyan: '#00ffff',
  gray: '#808080',
  green: '#008000',
  grey: '#808080',
  lime: '#00ff00',
  magenta: '#ff00ff',
  navy: '#000080',
  orange: '#ffa500',
  pink: '#ffc0cb',
  purple: '#800080',
  red: '#ff0000',
  white: '#ffffff',
  yellow: '#ffff00',
}

/** A parsed colour. */
export interface ParsedColor {
  /** `#rrggbb`. */
  color: string
  opacity: number
}

function hex(value: number): string {
  return Math.max(0, Math.min(255, Math.round(value)))
    .toString(16)
    .padStart(2, '0')
}

function fromHex(digits: string): ParsedColor {
  const wide = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits
  const opacity = wide.length === 8 ? Number.parseInt(wide.slice(6), 16) / 255 : 1
  return { color: `#${wide.slice(0, 6)}`, opacity: Math.round(opacity * 1000) / 1000 }
}

/** A CSS colour (CSS Color 3: hexadecimal, `rgb()`, `rgba()`, common names). Undefined for other text. */
export function parseColor(text: string): ParsedColor | undefined {
  const word = text.trim().toLowerCase()
  const named = ownValue(names, word)
  if (named !== undefined) return { color: named, opacity: 1 }
  const [, digits] = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(word) ?? []
  if (digits !== undefined) return fromHex(digits)
  const [, list] = /^rgba?\(([^()]{1,60})\)$/.exec(word) ?? []
  if (list === undefined) return undefined
  const parts = list.split(/[\s,/]+/).filter((part) => part !== '')
  const numbers = parts.map((part, index) =>
    part.endsWith('%') ? (Number.parseFloat(part) / 100) * (index < 3 ? 255 : 1) : Number(part),
  )
  if (numbers.length < 3 || numbers.length > 4 || numbers.some((one) => !Number.isFinite(one)))
    return undefined
  const [red = 0, green = 0, blue = 0, opacity = 1] = numbers
  return { color: `#${hex(red)}${hex(green)}${hex(blue)}`, opacity }
}

/** Returns a colour with an opacity. */
export function withOpacity(color: string, opacity: number): string {
  if (opacity === 1) return color
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`
}

/** Interpolates between two colours of the form `#rrggbb`; `share` is from 0 to 1. */
export function mixColors(from: string, to: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [Number.parseInt(from.slice(at, at + 2), 16), Number.parseInt(to.slice(at, at + 2), 16)]
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}
