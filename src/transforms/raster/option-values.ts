import { toProgramCrs } from '../../geo/crs-program-text.ts'

/** Permitted form of one option value. */
export interface OptionValueRule {
  /** Text of the expected form, as in "must be {says}". */
  says: string
  /** Returns the value as passed to the program; undefined if refused. */
  read(value: string): string | undefined
}

const maxNumberLength = 64
const decimal = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?`

export function pattern(says: string, form: RegExp): OptionValueRule {
  return { says, read: (value) => (form.test(value) ? value : undefined) }
}

export function oneOf(...words: string[]): OptionValueRule {
  return { says: `one of ${words.join(', ')}`, read: (value) => (words.includes(value) ? value : undefined) }
}

export const number: OptionValueRule = {
  says: 'a number',
  read: (value) =>
    value.length <= maxNumberLength && new RegExp(`^${decimal}$`).test(value) ? value : undefined,
}
/** For options with a variable number of values: what the programs also recognize as a number anywhere. */
export const plainNumber = pattern('a number', /^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?$/)
export const count = pattern('a whole number from 0', /^\d{1,9}$/)
export const band = pattern('the number of a band, or mask', /^(?:[1-9]\d{0,4}|mask(?:,[1-9]\d{0,4})?)$/)
export const noData = pattern(
  'a number, nan or none',
  new RegExp(`^(?:${decimal}|[+-]?(?:nan|inf)|none)$`, 'i'),
)
export const noDataList = pattern(
  'numbers separated by spaces, or none',
  new RegExp(`^(?:none|(?:${decimal}|nan)(?: +(?:${decimal}|nan)){0,63})$`, 'i'),
)
export const cellType = oneOf(
  ...'Byte Int8 UInt16 Int16 UInt32 Int32 UInt64 Int64 Float32 Float64'.split(' '),
  ...'CInt16 CInt32 CFloat32 CFloat64'.split(' '),
)
export const rasterFormat = pattern('GTiff or COG', /^(?:GTiff|COG)$/i)
export const overviewLevel = pattern('a level, AUTO, AUTO-n or NONE', /^(?:\d{1,3}|AUTO(?:-\d{1,3})?|NONE)$/)

export const crs: OptionValueRule = {
  says: 'the code of a known CRS, such as EPSG:4326, or a WKT or PROJ string without file names',
  read: toProgramCrs,
}

/** Accepts `NAME=VALUE` with the names of a table, in any case. */
export function setting(table: Record<string, RegExp>): OptionValueRule {
  const names = Object.keys(table)
  return {
    says: `NAME=VALUE with a name of ${names.join(', ')} and a value that suits it`,
    read: (value) => {
      const [, name = '', set = ''] = /^(\w{1,64})=(.{1,64})$/.exec(value) ?? []
      return Object.hasOwn(table, name.toUpperCase()) && table[name.toUpperCase()]?.test(set) === true
        ? value
        : undefined
    },
  }
}
