import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { TransformSpec } from '../transform.ts'
import { TransformError } from '../transform.ts'
import type { ValueRule } from './option-values.ts'
import type { RasterStep } from './raster-transform.ts'

const maxTexts = 3000
const maxTextLength = 10_000
const maxTotalLength = 40_000

/** The parameter `options`: one text for each word of the command line. */
export const optionTexts: TSchema = Type.Array(Type.String({ maxLength: maxTextLength }), {
  maxItems: maxTexts,
})

export interface OptionRule {
  values: readonly ValueRule[]
  /** How many values there may be; absent: all of them. */
  counts?: readonly number[]
  /** Whether `-scale_2` is `-scale` for one band. */
  isPerBand?: boolean
}

/** What a program's options are judged by. */
export interface OptionTable {
  program: string
  allowed: Record<string, OptionRule>
  /** Why a documented option is not offered. */
  refused: Record<string, string>
}

/** One option with its values, as the program is given them. */
export interface ProgramOption {
  name: string
  values: string[]
}

export function takes(...values: ValueRule[]): OptionRule {
  return { values }
}

const general =
  'it sets up the program itself, which could read or write anything; only options of the transformation are taken'

function unknownOption({ program, allowed, refused }: OptionTable, text: string): TransformError {
  const [word = '', rest] = text.trim().split(/\s+/)
  if (rest !== undefined && ruleOf(allowed, word) !== undefined) {
    return new TransformError(
      `Option "${shown(text)}" is one text: give the name and each value as texts of their own, "${word}", "..."`,
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
  const what = text.startsWith('-') ? 'is not an option that is known' : 'stands where an option was expected'
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
      throw new TransformError('An option holds a control character', 'invalid-option')
    }
  }
}

/** The values behind an option: as many as it takes, or for a varying number all that are values of it. */
function readValues(name: string, { values, counts }: OptionRule, following: readonly string[]): string[] {
  const read: string[] = []
  for (const [index, rule] of values.entries()) {
    const text = following[index]
    const value = text === undefined ? undefined : rule.read(text)
    if (value !== undefined) read.push(value)
    else if (counts?.includes(index) === true) break
    else if (text === undefined) {
      throw new TransformError(`Option "${name}" lacks a value: ${rule.says}`, 'invalid-option')
    } else {
      throw new TransformError(
        `Value ${index + 1} of option "${name}" must be ${rule.says}, found "${shown(text)}"`,
        'invalid-option',
      )
    }
  }
  return read
}

/** The options of a transformation, each judged by the program's table. Throws `TransformError` for the first bad one. */
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

/** The only value of the last option of that name, which is the one that counts. */
export function lastValue(options: readonly ProgramOption[], name: string): string | undefined {
  return options.findLast((option) => option.name === name)?.values[0]
}

export function toArguments(options: readonly ProgramOption[]): string[] {
  return options.flatMap(({ name, values }) => [name, ...values])
}

/** Lets a file that may pass 4 GiB be a BigTIFF, where the client says nothing of it. */
function roomForMore(options: readonly ProgramOption[]): string[] {
  const isSaid = options.some(({ name, values }) => name === '-co' && /^BIGTIFF=/i.test(values[0] ?? ''))
  return isSaid ? [] : ['-co', 'BIGTIFF=IF_SAFER']
}

/** The arguments of a program that writes another file; `srsOption` gives its input the step's CRS. */
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
