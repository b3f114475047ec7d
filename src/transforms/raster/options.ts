import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { TransformSpec } from '../transform.ts'
import { TransformError } from '../transform.ts'
import type { OptionValueRule } from './option-values.ts'
import type { RasterStep } from './raster-transform.ts'

const maxTexts = 3000
const maxTextLength = 10_000
const maxTotalLength = 40_000

/** The parameter `options`: one text for each argument of the command line. */
export const optionTexts: TSchema = Type.Array(Type.String({ maxLength: maxTextLength }), {
  maxItems: maxTexts,
})

export interface OptionRule {
  values: readonly OptionValueRule[]
  /** Permitted numbers of values; absent: any. */
  counts?: readonly number[]
  /** True if the option has a form per band, such as `-scale_2` for `-scale`. */
  isPerBand?: boolean
}

/** Rules for the options of a program. */
export interface OptionTable {
  program: string
  allowed: Record<string, OptionRule>
  /** Why a documented option is not supported. */
  refused: Record<string, string>
}

/** One option with its values, as passed to the program. */
export interface ProgramOption {
  name: string
  values: string[]
}

export function takes(...values: OptionValueRule[]): OptionRule {
  return { values }
}

const general =
  'it configures the program itself, which could read or write any file; only options of the transformation are allowed'

function unknownOption({ program, allowed, refused }: OptionTable, text: string): TransformError {
  const [word = '', rest] = text.trim().split(/\s+/)
  if (rest !== undefined && ruleOf(allowed, word) !== undefined) {
    return new TransformError(
      `Option "${shown(text)}" is one string: write name and values as separate strings, "${word}", "..."`,
      'invalid-option',
    )
  }
  const reason =
    (Object.hasOwn(refused, word) ? refused[word] : undefined) ??
    (word.startsWith('--') ? general : undefined)
  if (reason !== undefined) {
    return new TransformError(
      `Option "${shown(word)}" of ${program} is not allowed: ${reason}`,
      'refused-option',
    )
  }
  const what = text.startsWith('-') ? 'is not a known option' : 'is given where an option was expected'
  const names = Object.keys(allowed).join(' ')
  return new TransformError(
    `"${shown(text)}" ${what} of ${program}; the options are ${names}`,
    'invalid-option',
  )
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}

function ruleOf(allowed: OptionTable['allowed'], name: string): OptionRule | undefined {
  if (Object.hasOwn(allowed, name)) return allowed[name]
  const [, base = ''] = /^(-[a-z]+)_[1-9]\d{0,4}$/.exec(name) ?? []
  const rule = Object.hasOwn(allowed, base) ? allowed[base] : undefined
  return rule?.isPerBand === true ? rule : undefined
}

function checkTexts(texts: readonly string[]): void {
  const total = texts.reduce((sum, text) => sum + text.length, 0)
  if (total > maxTotalLength) {
    throw new TransformError(
      `The options have ${total} characters, more than ${maxTotalLength}`,
      'invalid-option',
    )
  }
  for (const text of texts) {
    if ([...text].some((character) => character < ' ' || character === '\u007f')) {
      throw new TransformError('An option contains a control character', 'invalid-option')
    }
  }
}

/** Returns the values of an option: as many as it takes, or with a variable number all that are valid. */
function readValues(name: string, { values, counts }: OptionRule, following: readonly string[]): string[] {
  const read: string[] = []
  for (const [index, rule] of values.entries()) {
    const text = following[index]
    const value = text === undefined ? undefined : rule.read(text)
    if (value !== undefined) read.push(value)
    else if (counts?.includes(index) === true) break
    else if (text === undefined) {
      throw new TransformError(`Option "${name}" has no value: expected ${rule.says}`, 'invalid-option')
    } else {
      throw new TransformError(
        `Value ${index + 1} of option "${name}" must be ${rule.says}, found "${shown(text)}"`,
        'invalid-option',
      )
    }
  }
  return read
}

/**
 * Returns the options of a transformation, each checked by the table of the program. Throws `TransformError`
 * for the first invalid one.
 */
export function readOptions(table: OptionTable, spec: TransformSpec): ProgramOption[] {
  const texts = Array.isArray(spec.options) ? spec.options.map(String) : []
  checkTexts(texts)
  const options: ProgramOption[] = []
  for (let at = 0; at < texts.length; ) {
    const name = texts[at] as string
    const rule = ruleOf(table.allowed, name)
    if (rule === undefined) throw unknownOption(table, name)
    const values = readValues(name, rule, texts.slice(at + 1, at + 1 + rule.values.length))
    options.push({ name, values })
    at += 1 + values.length
  }
  return options
}

export function hasOption(options: readonly ProgramOption[], ...names: string[]): boolean {
  return options.some(({ name }) => names.includes(name))
}

/** Returns the only value of the last option of that name, which takes precedence. */
export function lastValue(options: readonly ProgramOption[], name: string): string | undefined {
  return options.findLast((option) => option.name === name)?.values[0]
}

export function toArguments(options: readonly ProgramOption[]): string[] {
  return options.flatMap(({ name, values }) => [name, ...values])
}

/** Makes a file that may exceed 4 GiB a BigTIFF, unless the client sets that option. */
function roomForMore(options: readonly ProgramOption[]): string[] {
  const isStated = options.some(({ name, values }) => name === '-co' && /^BIGTIFF=/i.test(values[0] ?? ''))
  return isStated ? [] : ['-co', 'BIGTIFF=IF_SAFER']
}

/**
 * Returns the arguments of a program that writes another file; `srsOption` sets the step's CRS on its input.
 */
export function stepArguments(
  options: readonly ProgramOption[],
  { input, output, drivers, srs }: RasterStep,
  srsOption: string,
): string[] {
  const given = srs === undefined || hasOption(options, srsOption) ? [] : [srsOption, srs]
  return [
    ...drivers.flatMap((driver) => ['-if', driver]),
    ...given,
    ...roomForMore(options),
    ...toArguments(options),
    input,
    output,
  ]
}
